import { readRefreshToken } from "#lib/auth/login-sessions.ts";
import { refreshLimit } from "#lib/contract/limits.ts";
import { CodedError } from "#lib/errors.ts";
import { assertSameSite } from "#lib/http/headers.ts";
import { route } from "#lib/services/services.ts";

export const POST = route({ limit: refreshLimit }, async ({ services, request }) => {
  const { authenticator, cookie } = await services.authentication();
  const refreshToken = await readRefreshToken(request);
  if (refreshToken !== undefined) return authenticator.refresh(refreshToken);
  const sessionId = await cookie.read(request);
  if (sessionId === null) throw new CodedError("unauthorized");
  assertSameSite(request, services.http);
  const response = Response.json(await authenticator.renew(sessionId));
  await cookie.renew(request, response);
  return response;
});
