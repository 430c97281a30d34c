import { loginLimits } from "../../../../lib/auth/limits.ts";
import { LoginRequest } from "../../../../lib/contract/auth-requests.ts";
import { route } from "../../../../lib/http/route.ts";
import { sharedAuthenticator } from "../../../../lib/services/shared-authenticator.ts";

export { preflight as OPTIONS } from "../../../../lib/http/headers.ts";

export const POST = route({ body: LoginRequest, limit: loginLimits }, async ({ request, body }) => {
  const { authenticator, cookie } = await sharedAuthenticator();
  const { username: account, message, signature } = body;
  const { sessionId, tokens } = await authenticator.login({ account, message, signature });
  const response = Response.json(tokens);
  await cookie.write(request, response, sessionId);
  return response;
});
