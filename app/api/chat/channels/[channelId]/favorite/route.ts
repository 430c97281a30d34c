import { favoriteChannel } from "../../../../../../lib/chat/channels/channel-settings.ts";
import { openSession } from "../../../../../../lib/chat/session/session.ts";
import { FavoriteRequest } from "../../../../../../lib/contract/chat-requests.ts";
import { route } from "../../../../../../lib/http/route.ts";

export { preflight as OPTIONS } from "../../../../../../lib/http/headers.ts";

export const POST = route(
  { auth: "pat", ids: ["channelId"], body: FavoriteRequest },
  async ({ pat, params, body }) => {
    await favoriteChannel(await openSession(pat), params.channelId, body.favorite);
    return { ok: true };
  },
);
