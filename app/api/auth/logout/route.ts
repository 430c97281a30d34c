import { REFRESH_BODY_BYTES } from "#lib/contract/limits.ts";
import { RefreshRequest } from "#lib/contract/login.ts";
import { assertSameSite } from "#lib/http/headers.ts";
import { route } from "#lib/services/services.ts";

export const POST = route(
  { body: RefreshRequest, isBodyOptional: true, bodyLimit: REFRESH_BODY_BYTES },
  async ({ services, request, body: { refreshToken } }) => {
    const { authenticator, cookie } = await services.authentication();
    const sessionId = await cookie.read(request);
    if (sessionId !== null) assertSameSite(request, services.http);
    if (refreshToken != null) await authenticator.endSessionOf(refreshToken);
    if (sessionId !== null) await authenticator.endSession(sessionId);
    const response = Response.json({ ok: true });
    await cookie.clear(request, response);
    return response;
  },
);
