import { readMe } from "#lib/chat/people/search-users.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/me", {
  GET: async ({ services, pat, signal }) => readMe(await openSession(services.chat, pat, signal)),
});
