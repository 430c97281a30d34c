import { RefreshRequest } from "../contract/auth-requests.ts";
import { readJsonBody } from "../http/json-body.ts";
import { validate } from "../http/validate.ts";

const BODY_LIMIT_BYTES = 8192;

/**
 * The refresh token in a body that may be missing altogether: browsers have the session cookie instead.
 * @throws CodedError for a body that is there and wrong.
 */
export async function readRefreshToken(request: Request): Promise<string | undefined> {
  if (!request.headers.has("content-type")) return undefined;
  return validate(RefreshRequest, await readJsonBody(request, BODY_LIMIT_BYTES)).refreshToken ?? undefined;
}
