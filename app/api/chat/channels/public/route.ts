import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { browseChannels } from "#lib/chat/channels/list-channels.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/channels/public", {
  GET: async ({ services, pat, query: { per_page: perPage, ...wanted }, gone }) =>
    browseChannels(await createCallerContext(services.chat, pat, gone), { ...wanted, perPage }),
});
