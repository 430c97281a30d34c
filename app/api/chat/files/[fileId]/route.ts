import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { readFile } from "#lib/chat/media/files.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/files/{fileId}", {
  GET: async ({ services, pat, params, query, asked, signal, gone }) =>
    readFile(
      await createCallerContext(services.chat, pat, gone),
      params.fileId,
      { size: query.size ?? "whole", isDownload: query.download === "true", headers: asked.headers },
      signal,
    ),
});
