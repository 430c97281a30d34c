import type { Backend } from "../backend.ts";
import { countUnreadReplies, findThreadMember, saveThreadMember } from "../model/threads.ts";

/** What is unread in a thread to a follower. */
export type ThreadUnread = { replies: number; mentions: number };

/** Sets until when a follower has read the thread; null for somebody who never followed it. */
export function markThreadRead(
  backend: Backend,
  userId: string,
  rootId: string,
  time: number,
  unreadMentions = 0,
): { before: ThreadUnread; after: ThreadUnread } | null {
  const member = findThreadMember(backend.db, rootId, userId);
  if (!member) return null;
  const before = {
    replies: countUnreadReplies(backend.db, rootId, member.last_viewed_at),
    mentions: member.unread_mentions,
  };
  saveThreadMember(backend.db, {
    ...member,
    last_viewed_at: time,
    last_update_at: backend.clock.now(),
    unread_mentions: unreadMentions,
  });
  return {
    before,
    after: { replies: countUnreadReplies(backend.db, rootId, time), mentions: unreadMentions },
  };
}
