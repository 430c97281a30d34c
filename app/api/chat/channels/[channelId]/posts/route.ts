import { readPostsPage } from "../../../../../../lib/chat/posts/read-posts-page.ts";
import { writePost } from "../../../../../../lib/chat/posts/write-post.ts";
import { openSession } from "../../../../../../lib/chat/session/session.ts";
import { NewPostRequest, PostsQuery } from "../../../../../../lib/contract/chat-requests.ts";
import { route } from "../../../../../../lib/http/route.ts";

export { preflight as OPTIONS } from "../../../../../../lib/http/headers.ts";

export const GET = route(
  { auth: "pat", ids: ["channelId"], query: PostsQuery },
  async ({ pat, params, query: { per_page, ...wanted }, signal }) =>
    readPostsPage(await openSession(pat, signal), params.channelId, { perPage: per_page, ...wanted }),
);

export const POST = route(
  { auth: "pat", ids: ["channelId"], body: NewPostRequest },
  async ({ pat, params, body }) => writePost(await openSession(pat), params.channelId, body),
);
