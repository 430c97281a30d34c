import { endSignIn } from "#lib/chat/caller/sign-ins.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/sign-ins/{signInId}", {
  DELETE: async ({ services, pat, params, signal }) => {
    await endSignIn(services.chat, pat, params.signInId, signal);
    return done;
  },
});
