import { loginLimits } from "#lib/contract/limits.ts";
import { LoginRequest } from "#lib/contract/login.ts";
import { route } from "#lib/services/services.ts";

export const POST = route({ body: LoginRequest, limit: loginLimits }, async ({ services, request, body }) => {
  const { authenticator, cookie } = await services.authentication();
  const { username: account, message, signature } = body;
  const { sessionId, tokens } = await authenticator.login({ account, message, signature });
  const response = Response.json(tokens);
  await cookie.write(request, response, sessionId);
  return response;
});
