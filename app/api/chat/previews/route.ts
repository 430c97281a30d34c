import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { readPreview } from "#lib/chat/media/previews.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/previews", {
  GET: async ({ services, pat, query, signal, gone }) =>
    readPreview(await createCallerContext(services.chat, pat, gone), query.url, signal),
});
