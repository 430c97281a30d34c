import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { translatePost } from "#lib/chat/posts/translate-post.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/posts/{postId}/translation",
  {
    POST: async ({ services, pat, params, body, signal, gone }) =>
      translatePost(
        await createCallerContext(services.chat, pat, gone),
        params.channelId,
        params.postId,
        body.target,
        signal,
      ),
  },
);
