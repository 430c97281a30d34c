import { openSession } from "#lib/chat/session/session.ts";
import { endSignIns } from "#lib/chat/session/sign-ins.ts";
import { endLogins, route } from "#lib/services/services.ts";

export const DELETE = route({ auth: "pat", ids: ["signInId"] }, async ({ services, pat, params }) => {
  const session = await openSession(services.chat, pat);
  await endLogins(services, await endSignIns(session, { id: params.signInId }));
  return { ok: true };
});
