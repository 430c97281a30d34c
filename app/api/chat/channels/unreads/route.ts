import { countAllUnread } from "#lib/chat/channels/unread.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/channels/unreads", {
  GET: async ({ services, pat, signal }) => countAllUnread(await openSession(services.chat, pat, signal)),
});
