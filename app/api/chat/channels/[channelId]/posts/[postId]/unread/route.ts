import { markUnread } from "#lib/chat/posts/threads.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/services.ts";

export const POST = route(
  { auth: "pat", ids: ["channelId", "postId"] },
  async ({ services, pat, params }) => {
    await markUnread(await openSession(services.chat, pat), params.channelId, params.postId);
    return { ok: true };
  },
);
