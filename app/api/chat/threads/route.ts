import { listFollowedThreads } from "#lib/chat/posts/threads.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { ThreadsQuery } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const GET = route(
  { auth: "pat", query: ThreadsQuery },
  async ({ services, pat, query: { before, unread, per_page }, signal }) =>
    listFollowedThreads(await openSession(services.chat, pat, signal), {
      before,
      isUnread: unread === "true",
      perPage: per_page,
    }),
);
