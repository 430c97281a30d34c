import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { searchChannels } from "#lib/chat/channels/list-channels.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/channels/search", {
  POST: async ({ services, pat, body, gone }) =>
    searchChannels(await createCallerContext(services.chat, pat, gone), body.term),
});
