import { readPinned } from "#lib/chat/posts/pinned-posts.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/services.ts";

export const GET = route({ auth: "pat", ids: ["channelId"] }, async ({ services, pat, params, signal }) =>
  readPinned(await openSession(services.chat, pat, signal), params.channelId),
);
