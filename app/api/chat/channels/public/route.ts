import { browseChannels } from "#lib/chat/channels/list-channels.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/channels/public", {
  GET: async ({ services, pat, query: { per_page: perPage, ...wanted }, signal }) =>
    browseChannels(await openSession(services.chat, pat, signal), { ...wanted, perPage }),
});
