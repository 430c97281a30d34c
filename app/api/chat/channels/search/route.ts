import { searchChannels } from "../../../../../lib/chat/channels/search-channels.ts";
import { openSession } from "../../../../../lib/chat/session/session.ts";
import { ChannelSearchRequest } from "../../../../../lib/contract/chat-requests.ts";
import { route } from "../../../../../lib/http/route.ts";

export { preflight as OPTIONS } from "../../../../../lib/http/headers.ts";

export const POST = route({ auth: "pat", body: ChannelSearchRequest }, async ({ pat, body, signal }) =>
  searchChannels(await openSession(pat, signal), body.term),
);
