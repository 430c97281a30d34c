import { countAllUnread } from "../../../../../lib/chat/channels/unread.ts";
import { openSession } from "../../../../../lib/chat/session/session.ts";
import { route } from "../../../../../lib/http/route.ts";

export { preflight as OPTIONS } from "../../../../../lib/http/headers.ts";

export const GET = route({ auth: "pat" }, async ({ pat, signal }) =>
  countAllUnread(await openSession(pat, signal)),
);
