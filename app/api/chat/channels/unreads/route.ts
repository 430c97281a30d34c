import { countAllUnread } from "#lib/chat/channels/unread.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/services.ts";

export const GET = route({ auth: "pat" }, async ({ services, pat, signal }) =>
  countAllUnread(await openSession(services.chat, pat, signal)),
);
