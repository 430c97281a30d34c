import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { openDirect } from "#lib/chat/channels/open-direct.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/direct", {
  POST: async ({ services, pat, body }) =>
    openDirect(await createCallerContext(services.chat, pat), body.username),
});
