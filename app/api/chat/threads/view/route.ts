import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { markAllThreadsRead } from "#lib/chat/posts/threads.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/threads/view", {
  POST: async ({ services, pat }) => {
    await markAllThreadsRead(await createCallerContext(services.chat, pat));
    return done;
  },
});
