import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { markUnread } from "#lib/chat/posts/threads.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/posts/{postId}/unread",
  {
    POST: async ({ services, pat, params }) => {
      await markUnread(await createCallerContext(services.chat, pat), params.channelId, params.postId);
      return done;
    },
  },
);
