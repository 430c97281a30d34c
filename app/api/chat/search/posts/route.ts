import { findMentions } from "#lib/chat/posts/find-mentions.ts";
import { searchPosts } from "#lib/chat/posts/search-posts.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { PostSearchRequest } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const POST = route(
  { auth: "pat", body: PostSearchRequest },
  async ({ services, pat, body: { term, page, per_page: perPage }, signal }) => {
    const session = await openSession(services.chat, pat, signal);
    if (term === undefined) return findMentions(session, { page, perPage });
    return searchPosts(session, { term, page, perPage });
  },
);
