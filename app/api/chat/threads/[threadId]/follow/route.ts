import { setFollowed } from "#lib/chat/posts/threads.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { FollowRequest } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const POST = route(
  { auth: "pat", ids: ["threadId"], body: FollowRequest },
  async ({ services, pat, params, body }) => {
    await setFollowed(await openSession(services.chat, pat), params.threadId, body.follow);
    return { ok: true };
  },
);
