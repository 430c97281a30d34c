import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { listFollowedThreads } from "#lib/chat/posts/threads.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/threads", {
  GET: async ({ services, pat, query: { before, unread, per_page }, gone }) =>
    listFollowedThreads(await createCallerContext(services.chat, pat, gone), {
      before,
      isUnread: unread === "true",
      perPage: per_page,
    }),
});
