import { readFile } from "#lib/chat/media/files.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { filesLimit } from "#lib/contract/limits.ts";
import { FileQuery } from "#lib/contract/media-operations.ts";
import { route } from "#lib/services/services.ts";

export const GET = route(
  { auth: "pat", ids: ["fileId"], query: FileQuery, limit: filesLimit },
  async ({ services, pat, params, query, request, signal }) =>
    readFile(
      await openSession(services.chat, pat, signal),
      params.fileId,
      { size: query.size ?? "whole", isDownload: query.download === "true", headers: request.headers },
      signal,
    ),
);
