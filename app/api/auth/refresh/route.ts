import { readRefreshToken } from "../../../../lib/auth/session-cookie.ts";
import { CodedError } from "../../../../lib/errors.ts";
import { refuseCrossSite } from "../../../../lib/http/origin.ts";
import { route } from "../../../../lib/http/route.ts";
import { sharedAuthenticator } from "../../../../lib/services/shared-authenticator.ts";

export { preflight as OPTIONS } from "../../../../lib/http/headers.ts";

const limit = { name: "refresh", requests: 120, windowSeconds: 60, by: "client" } as const;

export const POST = route({ limit }, async ({ request }) => {
  const { config, authenticator, cookie } = await sharedAuthenticator();
  const refreshToken = await readRefreshToken(request);
  if (refreshToken !== undefined) return authenticator.refresh(refreshToken);
  const sessionId = await cookie.read(request);
  if (sessionId === null) throw new CodedError("unauthorized");
  refuseCrossSite(request, config);
  return authenticator.renew(sessionId);
});
