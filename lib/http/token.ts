import { CodedError } from "../errors.ts";
import type { RequestHeaders } from "./client-address.ts";

/** Name of the cookie that carries the PAT. */
export const PAT_COOKIE = "chat_pat";

const patShape = /^[a-z0-9]{26}$/;

type Token = { pat: string; carrier: "bearer" | "cookie" };

/**
 * The caller's PAT: from `Authorization: Bearer`, else from the cookie. A bearer that is empty or malformed never
 * falls through to the cookie; `Basic` is the login of some proxy in front and none of ours.
 * @throws CodedError `unauthorized`
 */
export function readToken(headers: RequestHeaders): Token {
  const authorization = headers.get("authorization");
  if (authorization !== null && !/^basic /i.test(authorization)) {
    const pat = /^bearer +(\S+)$/i.exec(authorization.trim())?.[1];
    return { pat: checked(pat), carrier: "bearer" };
  }
  return { pat: checked(readCookie(headers, PAT_COOKIE)), carrier: "cookie" };
}

function checked(pat: string | undefined): string {
  if (pat === undefined || !patShape.test(pat)) throw new CodedError("unauthorized");
  return pat;
}

/** The first cookie of that name, undefined when there is none. */
function readCookie(headers: RequestHeaders, name: string): string | undefined {
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    const equals = pair.indexOf("=");
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
