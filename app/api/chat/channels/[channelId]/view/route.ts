import { markViewed } from "#lib/chat/channels/channel-settings.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/services.ts";

export const POST = route({ auth: "pat", ids: ["channelId"] }, async ({ services, pat, params }) => {
  await markViewed(await openSession(services.chat, pat), params.channelId);
  return { ok: true };
});
