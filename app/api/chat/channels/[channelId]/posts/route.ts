import { readPostsPage } from "#lib/chat/posts/read-posts-page.ts";
import { writePost } from "#lib/chat/posts/write-post.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { POST_BODY_BYTES } from "#lib/contract/limits.ts";
import { NewPostRequest, PostsQuery } from "#lib/contract/requests.ts";
import { route } from "#lib/services/services.ts";

export const GET = route(
  { auth: "pat", ids: ["channelId"], query: PostsQuery },
  async ({ services, pat, params, query: { per_page, ...wanted }, signal }) =>
    readPostsPage(await openSession(services.chat, pat, signal), params.channelId, {
      perPage: per_page,
      ...wanted,
    }),
);

export const POST = route(
  { auth: "pat", ids: ["channelId"], body: NewPostRequest, bodyLimit: POST_BODY_BYTES },
  async ({ services, pat, params, body }) =>
    writePost(await openSession(services.chat, pat), params.channelId, body),
);
