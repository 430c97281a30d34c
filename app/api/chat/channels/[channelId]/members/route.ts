import { createCallerContext } from "#lib/chat/caller/caller-context.ts";
import { listMembers } from "#lib/chat/channels/list-members.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  "/api/chat/channels/{channelId}/members",
  {
    GET: async ({ services, pat, params, query: { per_page: perPage, ...wanted }, gone }) =>
      listMembers(await createCallerContext(services.chat, pat, gone), params.channelId, {
        ...wanted,
        perPage,
      }),
  },
);
