import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { uploadPicture } from "#lib/chat/media/files.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/files",
  {
    POST: async ({ services, pat, params, query, request, signal }) =>
      uploadPicture(
        await createCallerContext(services.chat, pat, signal),
        params.channelId,
        query.name,
        request,
      ),
  },
);
