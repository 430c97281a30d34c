import { react } from "../../../../../../../../lib/chat/posts/write-post.ts";
import { openSession } from "../../../../../../../../lib/chat/session/session.ts";
import { ReactionRequest } from "../../../../../../../../lib/contract/chat-requests.ts";
import { route } from "../../../../../../../../lib/http/route.ts";

export { preflight as OPTIONS } from "../../../../../../../../lib/http/headers.ts";

export const POST = route(
  { auth: "pat", ids: ["channelId", "postId"], body: ReactionRequest },
  async ({ pat, params, body }) => {
    await react(await openSession(pat), params.channelId, params.postId, body);
    return { ok: true };
  },
);
