import { readMe } from "#lib/chat/people/search-users.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/services.ts";

export const GET = route({ auth: "pat" }, async ({ services, pat, signal }) =>
  readMe(await openSession(services.chat, pat, signal)),
);
