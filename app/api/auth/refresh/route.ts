import { CodedError } from "#lib/errors.ts";
import { assertSameSite } from "#lib/http/headers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/auth/refresh", {
  POST: async ({ services, request, body: { refreshToken } }) => {
    const { authenticator, cookie } = await services.authentication();
    if (refreshToken != null) return authenticator.refresh(refreshToken);
    const sessionId = await cookie.read(request);
    if (sessionId === null) throw new CodedError("unauthorized");
    assertSameSite(request, services.http);
    const response = Response.json(await authenticator.renew(sessionId));
    await cookie.renew(request, response);
    return response;
  },
});
