import { z } from "zod";

/** A user as the backend sends it, of which only these fields are used. */
export const User = z.object({
  id: z.string(),
  username: z.string(),
  first_name: z.string().default(""),
  last_name: z.string().default(""),
  nickname: z.string().default(""),
  /** Empty where the server keeps it from the asker. */
  email: z.string().default(""),
  /** By what else than a password the user signs in. */
  auth_service: z.string().default(""),
  last_picture_update: z.number().default(0),
  delete_at: z.number().default(0),
  is_bot: z.boolean().default(false),
  /** Separated by blanks. */
  roles: z.string().default(""),
});
export type User = z.infer<typeof User>;
