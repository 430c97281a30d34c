import { readPreview } from "#lib/chat/media/previews.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { previewsLimit } from "#lib/contract/limits.ts";
import { OutsideQuery } from "#lib/contract/media-operations.ts";
import { route } from "#lib/services/services.ts";

export const GET = route(
  { auth: "pat", query: OutsideQuery, limit: previewsLimit },
  async ({ services, pat, query, signal }) =>
    readPreview(await openSession(services.chat, pat, signal), query.url, signal),
);
