import { setPinned } from "#lib/chat/posts/pinned-posts.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/posts/{postId}/pin",
  {
    POST: async ({ services, pat, params, body }) => {
      await setPinned(await openSession(services.chat, pat), params.channelId, params.postId, body.pin);
      return done;
    },
  },
);
