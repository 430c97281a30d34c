import { z } from "zod";
import { type MattermostSession, path } from "./backend.ts";

/** A followed thread; its channel stands only in its post. */
const Thread = z.object({
  id: z.string(),
  unread_replies: z.number().default(0),
  unread_mentions: z.number().default(0),
  post: z.object({ channel_id: z.string() }),
});
type Thread = z.infer<typeof Thread>;

const Threads = z.object({ threads: z.array(Thread).nullable() });

/** The caller's followed threads with unread replies, latest first, at most `limit`. */
export async function listUnreadThreads(
  caller: MattermostSession,
  teamId: string,
  limit: number,
): Promise<Thread[]> {
  const query = new URLSearchParams({ unread: "true", threadsOnly: "true", per_page: String(limit) });
  const { threads } = await caller.call(
    "GET",
    `${path`/users/me/teams/${teamId}/threads`}?${query}`,
    Threads,
  );
  return threads ?? [];
}

const ClientConfig = z.object({ CollapsedThreads: z.string().default("disabled") });

/** Whether the server counts roots and threads apart by default ("collapsed threads"). */
export async function readCollapsesThreads(caller: MattermostSession): Promise<boolean> {
  const { CollapsedThreads } = await caller.call("GET", "/config/client?format=old", ClientConfig);
  return CollapsedThreads === "always_on" || CollapsedThreads === "default_on";
}
