import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { joinChannel } from "#lib/chat/channels/membership.ts";
import { done } from "#lib/contract/answers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/channels/{channelId}/join", {
  POST: async ({ services, pat, params }) => {
    await joinChannel(await createCallerContext(services.chat, pat), params.channelId);
    return done;
  },
});
