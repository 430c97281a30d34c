import { REFRESH_BODY_BYTES, refreshLimit } from "#lib/contract/limits.ts";
import { RefreshRequest } from "#lib/contract/login.ts";
import { CodedError } from "#lib/errors.ts";
import { assertSameSite } from "#lib/http/headers.ts";
import { route } from "#lib/services/services.ts";

export const POST = route(
  { body: RefreshRequest, isBodyOptional: true, bodyLimit: REFRESH_BODY_BYTES, limit: refreshLimit },
  async ({ services, request, body: { refreshToken } }) => {
    const { authenticator, cookie } = await services.authentication();
    if (refreshToken != null) return authenticator.refresh(refreshToken);
    const sessionId = await cookie.read(request);
    if (sessionId === null) throw new CodedError("unauthorized");
    assertSameSite(request, services.http);
    const response = Response.json(await authenticator.renew(sessionId));
    await cookie.renew(request, response);
    return response;
  },
);
