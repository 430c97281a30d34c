import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { removePost } from "#lib/chat/posts/remove-post.ts";
import { changePost } from "#lib/chat/posts/write-post.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/posts/{postId}",
  {
    PATCH: async ({ services, pat, params, body }) =>
      changePost(
        await createCallerContext(services.chat, pat),
        params.channelId,
        params.postId,
        body.message,
      ),
    DELETE: async ({ services, pat, params, requestId }) => {
      await removePost(
        await createCallerContext(services.chat, pat),
        params.channelId,
        params.postId,
        requestId,
      );
      return done;
    },
  },
);
