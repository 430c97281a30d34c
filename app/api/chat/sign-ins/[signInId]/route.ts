import { openSession } from "#lib/chat/session/session.ts";
import { endSignIns } from "#lib/chat/session/sign-ins.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";
import { endLogins } from "#lib/services/services.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/sign-ins/{signInId}", {
  DELETE: async ({ services, pat, params }) => {
    const session = await openSession(services.chat, pat);
    await endLogins(services, await endSignIns(session, { id: params.signInId }));
    return done;
  },
});
