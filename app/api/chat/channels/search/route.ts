import { searchChannels } from "#lib/chat/channels/list-channels.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { ChannelSearchRequest } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const POST = route(
  { auth: "pat", body: ChannelSearchRequest },
  async ({ services, pat, body, signal }) =>
    searchChannels(await openSession(services.chat, pat, signal), body.term),
);
