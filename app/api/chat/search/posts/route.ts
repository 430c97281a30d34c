import { searchPosts } from "#lib/chat/posts/read-posts-page.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { PostSearchRequest } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const POST = route(
  { auth: "pat", body: PostSearchRequest },
  async ({ services, pat, body: { term, page, per_page }, signal }) =>
    searchPosts(await openSession(services.chat, pat, signal), { term, page, perPage: per_page }),
);
