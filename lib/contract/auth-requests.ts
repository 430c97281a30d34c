import { z } from "zod";
import { isAccountName } from "../hive/account-name.ts";

export const ChallengeRequest = z.object({
  username: z.string().refine(isAccountName, "must be the name of a chain account"),
});

export const LoginRequest = ChallengeRequest.extend({
  message: z.string().max(1024),
  signature: z.string().max(256),
});

export const RefreshRequest = z.object({ refreshToken: z.string().max(4096).nullish() });
