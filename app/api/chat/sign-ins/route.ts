import { openSession } from "#lib/chat/session/session.ts";
import { endSignIns, listSignIns } from "#lib/chat/session/sign-ins.ts";
import { endLogins, route } from "#lib/services/services.ts";

export const GET = route({ auth: "pat" }, async ({ services, pat, signal }) =>
  listSignIns(await openSession(services.chat, pat, signal)),
);

export const DELETE = route({ auth: "pat" }, async ({ services, pat }) => {
  await endLogins(services, await endSignIns(await openSession(services.chat, pat), "others"));
  return { ok: true };
});
