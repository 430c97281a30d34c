import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { searchUsers } from "#lib/chat/people/search-users.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/users/search", {
  GET: async ({ services, pat, query, gone }) =>
    searchUsers(await createCallerContext(services.chat, pat, gone), query.q),
});
