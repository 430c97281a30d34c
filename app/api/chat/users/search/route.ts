import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { searchUsers } from "#lib/chat/people/search-users.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/users/search", {
  GET: async ({ services, pat, query, signal }) =>
    searchUsers(await createCallerContext(services.chat, pat, signal), query.q),
});
