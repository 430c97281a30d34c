import { markAllThreadsRead } from "#lib/chat/posts/threads.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/threads/view", {
  POST: async ({ services, pat }) => {
    await markAllThreadsRead(await openSession(services.chat, pat));
    return done;
  },
});
