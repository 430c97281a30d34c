import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { markViewed } from "#lib/chat/channels/channel-settings.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/channels/{channelId}/view", {
  POST: async ({ services, pat, params }) => {
    await markViewed(await createCallerContext(services.chat, pat), params.channelId);
    return done;
  },
});
