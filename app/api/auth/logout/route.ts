import { readRefreshToken } from "#lib/auth/login-sessions.ts";
import { assertSameSite } from "#lib/http/headers.ts";
import { route } from "#lib/services/services.ts";

export const POST = route({}, async ({ services, request }) => {
  const { authenticator, cookie } = await services.authentication();
  const refreshToken = await readRefreshToken(request);
  const sessionId = await cookie.read(request);
  if (sessionId !== null) assertSameSite(request, services.http);
  if (refreshToken !== undefined) await authenticator.endSessionOf(refreshToken);
  if (sessionId !== null) await authenticator.endSession(sessionId);
  const response = Response.json({ ok: true });
  await cookie.clear(request, response);
  return response;
});
