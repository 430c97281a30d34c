import { searchUsers } from "#lib/chat/people/search-users.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { UserSearchQuery } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const GET = route({ auth: "pat", query: UserSearchQuery }, async ({ services, pat, query, signal }) =>
  searchUsers(await openSession(services.chat, pat, signal), query.q),
);
