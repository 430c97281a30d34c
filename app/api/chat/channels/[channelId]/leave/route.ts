import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { leaveChannel } from "#lib/chat/channels/membership.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/leave",
  {
    POST: async ({ services, pat, params }) => {
      await leaveChannel(await createCallerContext(services.chat, pat), params.channelId);
      return done;
    },
  },
);
