import { PAT_COOKIE } from "../../http/token.ts";

const THIRTY_DAYS_SECONDS = 30 * 86_400;

/** The `Set-Cookie` line that hands the PAT to a browser; with an empty PAT it takes the cookie away. */
export function patCookie(pat: string, isSecure: boolean): string {
  const maxAge = pat === "" ? 0 : THIRTY_DAYS_SECONDS;
  const secure = isSecure ? "; Secure" : "";
  return `${PAT_COOKIE}=${pat}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`;
}
