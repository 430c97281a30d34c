import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { countAllUnread } from "#lib/chat/channels/unread.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/channels/unreads", {
  GET: async ({ services, pat, gone }) => countAllUnread(await createCallerContext(services.chat, pat, gone)),
});
