import { setMuted } from "../../../../../../lib/chat/channels/channel-settings.ts";
import { openSession } from "../../../../../../lib/chat/session/session.ts";
import { MuteRequest } from "../../../../../../lib/contract/chat-requests.ts";
import { route } from "../../../../../../lib/http/route.ts";

export { preflight as OPTIONS } from "../../../../../../lib/http/headers.ts";

export const POST = route(
  { auth: "pat", ids: ["channelId"], body: MuteRequest },
  async ({ pat, params, body }) => {
    await setMuted(await openSession(pat), params.channelId, body.mute);
    return { ok: true };
  },
);
