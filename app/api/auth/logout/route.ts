import { readRefreshToken } from "../../../../lib/auth/session-cookie.ts";
import { refuseCrossSite } from "../../../../lib/http/origin.ts";
import { route } from "../../../../lib/http/route.ts";
import { sharedAuthenticator } from "../../../../lib/services/shared-authenticator.ts";

export { preflight as OPTIONS } from "../../../../lib/http/headers.ts";

export const POST = route({}, async ({ request }) => {
  const { config, authenticator, cookie } = await sharedAuthenticator();
  const refreshToken = await readRefreshToken(request);
  const sessionId = await cookie.read(request);
  if (sessionId !== null) refuseCrossSite(request, config);
  if (refreshToken !== undefined) await authenticator.endSessionOf(refreshToken);
  if (sessionId !== null) await authenticator.endSession(sessionId);
  const response = Response.json({ ok: true });
  await cookie.clear(request, response);
  return response;
});
