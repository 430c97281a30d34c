import { listChannels } from "#lib/chat/channels/list-channels.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/services.ts";

export const GET = route({ auth: "pat" }, async ({ services, pat, signal }) =>
  listChannels(await openSession(services.chat, pat, signal)),
);
