import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { setAttention } from "#lib/chat/channels/channel-settings.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/channels/{channelId}/mute", {
  POST: async ({ services, pat, params, body }) => {
    await setAttention(await createCallerContext(services.chat, pat), params.channelId, body);
    return done;
  },
});
