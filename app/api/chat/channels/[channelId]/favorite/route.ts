import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { favoriteChannel } from "#lib/chat/channels/favorite-channel.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/favorite",
  {
    POST: async ({ services, pat, params, body }) => {
      await favoriteChannel(await createCallerContext(services.chat, pat), params.channelId, body.favorite);
      return done;
    },
  },
);
