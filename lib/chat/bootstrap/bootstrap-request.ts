import { z } from "zod";

/**
 * What bootstrap takes. The access token may be of any type here: whatever is wrong with it is 401, not 400. The
 * specification's other fields (`refreshToken`, `displayName`, `communityTitle`) are let in and not used: titles come
 * from the chain.
 */
export const BootstrapRequest = z.object({
  username: z.string().min(1),
  accessToken: z.unknown().optional(),
  community: z.string().nullish(),
});
