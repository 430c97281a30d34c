import { react } from "#lib/chat/posts/write-post.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { ReactionRequest } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const POST = route(
  { auth: "pat", ids: ["channelId", "postId"], body: ReactionRequest },
  async ({ services, pat, params, body }) => {
    await react(await openSession(services.chat, pat), params.channelId, params.postId, body);
    return { ok: true };
  },
);
