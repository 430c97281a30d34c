import { removePost } from "#lib/chat/posts/remove-post.ts";
import { changePost } from "#lib/chat/posts/write-post.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { EDIT_BODY_BYTES } from "#lib/contract/limits.ts";
import { PostEditRequest } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const PATCH = route(
  { auth: "pat", ids: ["channelId", "postId"], body: PostEditRequest, bodyLimit: EDIT_BODY_BYTES },
  async ({ services, pat, params, body }) =>
    changePost(await openSession(services.chat, pat), params.channelId, params.postId, body.message),
);

export const DELETE = route(
  { auth: "pat", ids: ["channelId", "postId"] },
  async ({ services, pat, params, requestId }) => {
    await removePost(await openSession(services.chat, pat), params.channelId, params.postId, requestId);
    return { ok: true };
  },
);
