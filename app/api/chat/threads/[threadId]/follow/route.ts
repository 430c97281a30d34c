import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { setFollowed } from "#lib/chat/posts/threads.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/threads/{threadId}/follow", {
  POST: async ({ services, pat, params, body }) => {
    await setFollowed(await createCallerContext(services.chat, pat), params.threadId, body.follow);
    return done;
  },
});
