import { patCookie } from "#lib/chat/access/pat-vault.ts";
import { logout } from "#lib/chat/session/sign-ins.ts";
import { areCookiesSecure } from "#lib/http/plain-http.ts";
import { route } from "#lib/services/services.ts";

export const POST = route({ auth: "pat" }, async ({ services, pat, signal }) => {
  await logout(services.chat, pat, signal);
  const response = Response.json({ ok: true });
  response.headers.append("set-cookie", patCookie("", areCookiesSecure(services.config)));
  return response;
});
