import { markUnread } from "#lib/chat/posts/threads.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/posts/{postId}/unread",
  {
    POST: async ({ services, pat, params }) => {
      await markUnread(await openSession(services.chat, pat), params.channelId, params.postId);
      return done;
    },
  },
);
