import { assertSameSite } from "#lib/http/headers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/auth/logout", {
  POST: async ({ services, request, body: { refreshToken } }) => {
    const { authenticator, cookie } = await services.authentication();
    const sessionId = await cookie.read(request);
    if (sessionId !== null) assertSameSite(request, services.http);
    if (refreshToken != null) await authenticator.endSessionOf(refreshToken);
    if (sessionId !== null) await authenticator.endSession(sessionId);
    const response = Response.json({ ok: true });
    await cookie.clear(request, response);
    return response;
  },
});
