import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { setPinned } from "#lib/chat/posts/pinned-posts.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/posts/{postId}/pin",
  {
    POST: async ({ services, pat, params, body }) => {
      await setPinned(
        await createCallerContext(services.chat, pat),
        params.channelId,
        params.postId,
        body.pin,
      );
      return done;
    },
  },
);
