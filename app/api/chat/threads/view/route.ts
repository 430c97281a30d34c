import { markAllThreadsRead } from "#lib/chat/posts/threads.ts";
import { openSession } from "#lib/chat/session/session.ts";
import { route } from "#lib/services/services.ts";

export const POST = route({ auth: "pat" }, async ({ services, pat }) => {
  await markAllThreadsRead(await openSession(services.chat, pat));
  return { ok: true };
});
