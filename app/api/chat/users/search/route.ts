import { searchUsers } from "../../../../../lib/chat/people/search-users.ts";
import { openSession } from "../../../../../lib/chat/session/session.ts";
import { UserSearchQuery } from "../../../../../lib/contract/chat-requests.ts";
import { route } from "../../../../../lib/http/route.ts";

export { preflight as OPTIONS } from "../../../../../lib/http/headers.ts";

export const GET = route({ auth: "pat", query: UserSearchQuery }, async ({ pat, query, signal }) =>
  searchUsers(await openSession(pat, signal), query.q),
);
