import { endSignIn } from "#lib/chat/session/sign-ins.ts";
import { route } from "#lib/services/services.ts";

export const DELETE = route({ auth: "pat", ids: ["signInId"] }, async ({ services, pat, params, signal }) => {
  await endSignIn(services.chat, pat, params.signInId, signal);
  return { ok: true };
});
