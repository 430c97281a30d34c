import { hostPicture } from "#lib/chat/media/image-host.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { uploadsLimit } from "#lib/contract/limits.ts";
import { UploadQuery } from "#lib/contract/media-operations.ts";
import { route } from "#lib/services/services.ts";

export const POST = route(
  { auth: "pat", ids: ["channelId"], query: UploadQuery, limit: uploadsLimit },
  async ({ services, pat, params, query, request, signal }) =>
    hostPicture(await openSession(services.chat, pat, signal), params.channelId, query.name, request),
);
