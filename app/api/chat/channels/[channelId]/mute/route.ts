import { setAttention } from "#lib/chat/channels/channel-settings.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { MuteRequest } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const POST = route(
  { auth: "pat", ids: ["channelId"], body: MuteRequest },
  async ({ services, pat, params, body }) => {
    await setAttention(await openSession(services.chat, pat), params.channelId, body);
    return { ok: true };
  },
);
