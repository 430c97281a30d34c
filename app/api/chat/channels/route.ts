import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { listChannels } from "#lib/chat/channels/list-channels.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/channels", {
  GET: async ({ services, pat, gone }) => listChannels(await createCallerContext(services.chat, pat, gone)),
});
