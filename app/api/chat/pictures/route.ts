import { readOutsidePicture } from "#lib/chat/media/outside-pictures.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { picturesLimit } from "#lib/contract/limits.ts";
import { OutsideQuery } from "#lib/contract/media-operations.ts";
import { route } from "#lib/services/services.ts";

export const GET = route(
  { auth: "pat", query: OutsideQuery, limit: picturesLimit },
  async ({ services, pat, query, request, signal }) =>
    readOutsidePicture(
      await openSession(services.chat, pat, signal),
      query.url,
      request.headers.get("if-none-match"),
      signal,
    ),
);
