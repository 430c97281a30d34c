import { listChannels } from "#lib/chat/channels/list-channels.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/channels", {
  GET: async ({ services, pat, signal }) => listChannels(await openSession(services.chat, pat, signal)),
});
