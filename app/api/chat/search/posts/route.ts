import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { findMentions } from "#lib/chat/posts/find-mentions.ts";
import { searchPosts } from "#lib/chat/posts/search-posts.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/chat/search/posts", {
  POST: async ({ services, pat, body: { term, page, per_page: perPage }, gone }) => {
    const context = await createCallerContext(services.chat, pat, gone);
    if (term === undefined) return findMentions(context, { page, perPage });
    return searchPosts(context, { term, page, perPage });
  },
});
