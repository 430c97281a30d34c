import { readMe } from "../../../../lib/chat/people/read-me.ts";
import { openSession } from "../../../../lib/chat/session/session.ts";
import { route } from "../../../../lib/http/route.ts";

export { preflight as OPTIONS } from "../../../../lib/http/preflight.ts";

export const GET = route({ auth: "pat" }, async ({ pat, signal }) => readMe(await openSession(pat, signal)));
