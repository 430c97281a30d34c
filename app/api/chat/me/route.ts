import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { readMe } from "#lib/chat/people/search-users.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/me", {
  GET: async ({ services, pat, gone }) => readMe(await createCallerContext(services.chat, pat, gone)),
});
