import { listMembers } from "#lib/chat/channels/list-members.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { MembersQuery } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const GET = route(
  { auth: "pat", ids: ["channelId"], query: MembersQuery },
  async ({ services, pat, params, query: { per_page: perPage, ...wanted }, signal }) =>
    listMembers(await openSession(services.chat, pat, signal), params.channelId, { ...wanted, perPage }),
);
