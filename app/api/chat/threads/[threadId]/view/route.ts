import { markThreadRead } from "#lib/chat/posts/threads.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { ThreadViewRequest } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const POST = route(
  { auth: "pat", ids: ["threadId"], body: ThreadViewRequest },
  async ({ services, pat, params, body }) => {
    await markThreadRead(await openSession(services.chat, pat), params.threadId, body.until);
    return { ok: true };
  },
);
