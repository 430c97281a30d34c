import { loginLimits } from "#lib/contract/limits.ts";
import { ChallengeRequest } from "#lib/contract/login.ts";
import { route } from "#lib/services/services.ts";

export const POST = route({ body: ChallengeRequest, limit: loginLimits }, async ({ services, body }) => {
  const { authenticator } = await services.authentication();
  return authenticator.challenge(body.username);
});
