import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { markThreadRead } from "#lib/chat/posts/threads.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/threads/{threadId}/view", {
  POST: async ({ services, pat, params, body }) => {
    await markThreadRead(await createCallerContext(services.chat, pat), params.threadId, body.until);
    return done;
  },
});
