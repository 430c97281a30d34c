import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { react } from "#lib/chat/posts/write-post.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/posts/{postId}/reactions",
  {
    POST: async ({ services, pat, params, body }) => {
      await react(await createCallerContext(services.chat, pat), params.channelId, params.postId, body);
      return done;
    },
  },
);
