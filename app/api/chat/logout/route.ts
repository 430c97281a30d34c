import { patCookie } from "#lib/chat/access/pat-vault.ts";
import { logout } from "#lib/chat/caller/sign-ins.ts";
import { areCookiesSecure } from "#lib/http/plain-http.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/logout", {
  POST: async ({ services, pat, signal }) => {
    await logout(services.chat, pat, signal);
    const response = Response.json({ ok: true });
    response.headers.append("set-cookie", patCookie("", areCookiesSecure(services.config)));
    return response;
  },
});
