import { listChannels } from "../../../../lib/chat/channels/list-channels.ts";
import { openSession } from "../../../../lib/chat/session/session.ts";
import { route } from "../../../../lib/http/route.ts";

export { preflight as OPTIONS } from "../../../../lib/http/headers.ts";

export const GET = route({ auth: "pat" }, async ({ pat, signal }) =>
  listChannels(await openSession(pat, signal)),
);
