import { openDirect } from "#lib/chat/channels/open-direct.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/direct", {
  POST: async ({ services, pat, body }) => openDirect(await openSession(services.chat, pat), body.username),
});
