import { openSession } from "#lib/chat/session/session.ts";
import { endSignIns, listSignIns } from "#lib/chat/session/sign-ins.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";
import { endLogins } from "#lib/services/services.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/sign-ins", {
  GET: async ({ services, pat, signal }) => listSignIns(await openSession(services.chat, pat, signal)),
  DELETE: async ({ services, pat }) => {
    await endLogins(services, await endSignIns(await openSession(services.chat, pat), "others"));
    return done;
  },
});
