import { removePost } from "#lib/chat/posts/remove-post.ts";
import { changePost } from "#lib/chat/posts/write-post.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/posts/{postId}",
  {
    PATCH: async ({ services, pat, params, body }) =>
      changePost(await openSession(services.chat, pat), params.channelId, params.postId, body.message),
    DELETE: async ({ services, pat, params, requestId }) => {
      await removePost(await openSession(services.chat, pat), params.channelId, params.postId, requestId);
      return done;
    },
  },
);
