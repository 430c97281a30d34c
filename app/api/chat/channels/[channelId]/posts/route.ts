import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { readPostsPage } from "#lib/chat/posts/read-posts-page.ts";
import { writePost } from "#lib/chat/posts/write-post.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/posts",
  {
    GET: async ({ services, pat, params, query: { per_page, ...wanted }, gone }) =>
      readPostsPage(await createCallerContext(services.chat, pat, gone), params.channelId, {
        perPage: per_page,
        ...wanted,
      }),
    POST: async ({ services, pat, params, body }) =>
      writePost(await createCallerContext(services.chat, pat), params.channelId, body),
  },
);
