import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { hostPicture } from "#lib/chat/media/image-host.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/pictures",
  {
    POST: async ({ services, pat, params, query, request, gone }) =>
      hostPicture(await createCallerContext(services.chat, pat, gone), params.channelId, query.name, request),
  },
);
