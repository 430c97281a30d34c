import { openDirect } from "../../../../lib/chat/channels/open-direct.ts";
import { openSession } from "../../../../lib/chat/session/session.ts";
import { DirectRequest } from "../../../../lib/contract/chat-requests.ts";
import { route } from "../../../../lib/http/route.ts";

export { preflight as OPTIONS } from "../../../../lib/http/headers.ts";

export const POST = route({ auth: "pat", body: DirectRequest }, async ({ pat, body }) =>
  openDirect(await openSession(pat), body.username),
);
