import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { readPinned } from "#lib/chat/posts/pinned-posts.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/pinned",
  {
    GET: async ({ services, pat, params, gone }) =>
      readPinned(await createCallerContext(services.chat, pat, gone), params.channelId),
  },
);
