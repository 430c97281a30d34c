import { findMentions } from "#lib/chat/posts/find-mentions.ts";
import { searchPosts } from "#lib/chat/posts/search-posts.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/search/posts", {
  POST: async ({ services, pat, body: { term, page, per_page: perPage }, signal }) => {
    const session = await openSession(services.chat, pat, signal);
    if (term === undefined) return findMentions(session, { page, perPage });
    return searchPosts(session, { term, page, perPage });
  },
});
