import { z } from "zod";
import { text } from "./examples.ts";

/** A file of a post. */
export const File = z.looseObject({
  id: text("f".repeat(26), "a Mattermost id: 26 letters and digits"),
  user_id: z.string().optional(),
  name: text("valley.png"),
  extension: text("png").optional(),
  size: z
    .number()
    .int()
    .meta({ description: "bytes", examples: [48_213] }),
  mime_type: text("image/png").optional().describe("by its name"),
  width: z.number().int().optional().describe("of a picture"),
  height: z.number().int().optional(),
  has_preview_image: z.boolean().optional().describe("whether there is a preview; GIFs have none"),
});
export type File = z.infer<typeof File>;
