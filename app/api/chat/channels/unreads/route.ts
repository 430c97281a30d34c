import { countAllUnread } from "../../../../../lib/chat/count-all-unread.ts";
import { openSession } from "../../../../../lib/chat/session.ts";
import { route } from "../../../../../lib/http/route.ts";

export { preflight as OPTIONS } from "../../../../../lib/http/preflight.ts";

export const GET = route({ auth: "pat" }, async ({ pat, signal }) =>
  countAllUnread(await openSession(pat, signal)),
);
