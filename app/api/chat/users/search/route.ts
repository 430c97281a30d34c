import { searchUsers } from "#lib/chat/people/search-users.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/users/search", {
  GET: async ({ services, pat, query, signal }) =>
    searchUsers(await openSession(services.chat, pat, signal), query.q),
});
