import { openDirect } from "#lib/chat/channels/open-direct.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { DirectRequest } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const POST = route({ auth: "pat", body: DirectRequest }, async ({ services, pat, body }) =>
  openDirect(await openSession(services.chat, pat), body.username),
);
