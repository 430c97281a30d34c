import { browseChannels } from "#lib/chat/channels/list-channels.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { BrowseQuery } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const GET = route(
  { auth: "pat", query: BrowseQuery },
  async ({ services, pat, query: { per_page: perPage, ...wanted }, signal }) =>
    browseChannels(await openSession(services.chat, pat, signal), { ...wanted, perPage }),
);
