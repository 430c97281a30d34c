import { listUnreadThreads } from "../mattermost/threads.ts";
import type { Session } from "./session.ts";

const PER_PAGE = 200;
const MAX_PAGES = 5;

/** Unread replies in followed threads, by channel; truncated beyond 1,000 unread threads. */
export async function countThreadUnread({
  caller,
  gateway,
}: Session): Promise<{ byChannel: Map<string, number>; isTruncated: boolean }> {
  const byChannel = new Map<string, number>();
  let before: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const threads = await listUnreadThreads(caller, gateway.teamId, { perPage: PER_PAGE, before });
    for (const { post, unread_replies } of threads)
      byChannel.set(post.channel_id, (byChannel.get(post.channel_id) ?? 0) + unread_replies);
    if (threads.length < PER_PAGE) return { byChannel, isTruncated: false };
    before = threads.at(-1)?.id;
  }
  return { byChannel, isTruncated: true };
}
