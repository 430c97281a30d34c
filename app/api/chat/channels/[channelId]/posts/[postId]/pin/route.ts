import { setPinned } from "#lib/chat/posts/pinned-posts.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { PinRequest } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const POST = route(
  { auth: "pat", ids: ["channelId", "postId"], body: PinRequest },
  async ({ services, pat, params, body }) => {
    await setPinned(await openSession(services.chat, pat), params.channelId, params.postId, body.pin);
    return { ok: true };
  },
);
