import { uploadPicture } from "#lib/chat/media/files.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/files",
  {
    POST: async ({ services, pat, params, query, request, signal }) =>
      uploadPicture(await openSession(services.chat, pat, signal), params.channelId, query.name, request),
  },
);
