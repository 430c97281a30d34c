import { leaveChannel } from "../../../../../../lib/chat/channels/membership.ts";
import { openSession } from "../../../../../../lib/chat/session/session.ts";
import { route } from "../../../../../../lib/http/route.ts";

export { preflight as OPTIONS } from "../../../../../../lib/http/headers.ts";

export const POST = route({ auth: "pat", ids: ["channelId"] }, async ({ pat, params }) => {
  await leaveChannel(await openSession(pat), params.channelId);
  return { ok: true };
});
