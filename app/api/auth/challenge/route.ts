import { loginLimits } from "../../../../lib/auth/limits.ts";
import { ChallengeRequest } from "../../../../lib/contract/auth-requests.ts";
import { route } from "../../../../lib/http/route.ts";
import { sharedAuthenticator } from "../../../../lib/services/shared-authenticator.ts";

export { preflight as OPTIONS } from "../../../../lib/http/headers.ts";

export const POST = route({ body: ChallengeRequest, limit: loginLimits }, async ({ body }) => {
  const { authenticator } = await sharedAuthenticator();
  return authenticator.challenge(body.username);
});
