import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { readOutsidePicture } from "#lib/chat/media/outside-pictures.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/pictures", {
  GET: async ({ services, pat, query, asked, signal, gone }) =>
    readOutsidePicture(
      await createCallerContext(services.chat, pat, gone),
      query.url,
      asked.headers.get("if-none-match"),
      signal,
    ),
});
