import { favoriteChannel } from "#lib/chat/channels/favorite-channel.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/favorite",
  {
    POST: async ({ services, pat, params, body }) => {
      await favoriteChannel(await openSession(services.chat, pat), params.channelId, body.favorite);
      return done;
    },
  },
);
