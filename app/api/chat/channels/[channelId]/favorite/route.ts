import { favoriteChannel } from "#lib/chat/channels/channel-settings.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { FavoriteRequest } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const POST = route(
  { auth: "pat", ids: ["channelId"], body: FavoriteRequest },
  async ({ services, pat, params, body }) => {
    await favoriteChannel(await openSession(services.chat, pat), params.channelId, body.favorite);
    return { ok: true };
  },
);
