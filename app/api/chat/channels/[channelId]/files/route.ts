import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { uploadPicture } from "#lib/chat/media/files.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/files",
  {
    POST: async ({ services, pat, params, query, request, gone }) =>
      uploadPicture(
        await createCallerContext(services.chat, pat, gone),
        params.channelId,
        query.name,
        request,
      ),
  },
);
