import { z } from "zod";

const text = (description: string) =>
  z
    .unknown()
    .optional()
    .meta({ type: ["string", "null"], description });

/**
 * What bootstrap takes. All but the name may be of any type here: whatever is wrong with the access token is 401, not
 * 400, and the community is looked at after it. The last three are let in and not used: titles come from the chain.
 */
export const BootstrapRequest = z
  .object({
    username: z.string().min(1).describe("account of the chain"),
    accessToken: z.unknown().optional().meta({ type: "string", description: "must belong to the account" }),
    community: text("id of a community, into whose channel the user is put"),
    refreshToken: text("not used"),
    displayName: text("not used"),
    communityTitle: text("not used"),
  })
  .meta({ required: ["username", "accessToken"] });
