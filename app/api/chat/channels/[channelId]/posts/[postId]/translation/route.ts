import { translatePost } from "#lib/chat/posts/translate-post.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { translationLimit } from "#lib/contract/limits.ts";
import { TranslationRequest } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const POST = route(
  { auth: "pat", ids: ["channelId", "postId"], body: TranslationRequest, limit: translationLimit },
  async ({ services, pat, params, body, signal }) =>
    translatePost(
      await openSession(services.chat, pat, signal),
      params.channelId,
      params.postId,
      body.target,
      signal,
    ),
);
