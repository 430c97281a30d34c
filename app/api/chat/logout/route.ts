import { patCookie } from "../../../../lib/chat/access/pat-cookie.ts";
import { chatGateway } from "../../../../lib/chat/session/gateway.ts";
import { logout } from "../../../../lib/chat/session/logout.ts";
import { route } from "../../../../lib/http/route.ts";

export { preflight as OPTIONS } from "../../../../lib/http/headers.ts";

export const POST = route({ auth: "pat" }, async ({ pat, signal }) => {
  const gateway = chatGateway();
  await logout(gateway, pat, signal);
  const response = Response.json({ ok: true });
  response.headers.append("set-cookie", patCookie("", gateway.config.sandbox === null));
  return response;
});
