import { searchChannels } from "#lib/chat/channels/list-channels.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/channels/search", {
  POST: async ({ services, pat, body, signal }) =>
    searchChannels(await openSession(services.chat, pat, signal), body.term),
});
