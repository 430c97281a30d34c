import { listUnreadThreads } from "../../mattermost/threads.ts";
import type { Session } from "../session/session.ts";

/** One page, however many there are: who has more unread threads is told so, and the badge says enough. */
const MOST_THREADS = 200;

/** Unread replies in followed threads, by channel; truncated beyond the 200 latest unread threads. */
export async function countThreadUnread({
  caller,
  gateway,
}: Session): Promise<{ byChannel: Map<string, number>; isTruncated: boolean }> {
  const threads = await listUnreadThreads(caller, gateway.teamId, MOST_THREADS);
  const byChannel = new Map<string, number>();
  for (const { post, unread_replies } of threads)
    byChannel.set(post.channel_id, (byChannel.get(post.channel_id) ?? 0) + unread_replies);
  return { byChannel, isTruncated: threads.length >= MOST_THREADS };
}
