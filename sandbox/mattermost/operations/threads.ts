import type { Mattermost } from "../context.ts";
import type { ChannelRow } from "../model/channels.ts";
import { findPost, type PostRow } from "../model/posts.ts";
import {
  countUnreadReplies,
  findThreadMember,
  listFollowers,
  saveThreadMember,
  type ThreadMemberRow,
} from "../model/threads.ts";
import { threadObject } from "../serializers/post.ts";

const stranger = (postId: string, userId: string): ThreadMemberRow => ({
  post_id: postId,
  user_id: userId,
  following: 0,
  last_viewed_at: 0,
  last_update_at: 0,
  unread_mentions: 0,
});

type Before = { unreadReplies: number; unreadMentions: number };

/**
 * Makes the reply's author, the mentioned users and (unless they unfollowed it) the root's author follow the
 * thread.
 * @returns the followers, each with their unread counts before the reply.
 */
export function followAfterReply(
  mattermost: Mattermost,
  reply: PostRow,
  mentioned: ReadonlySet<string>,
): Map<string, Before> {
  const root = findPost(mattermost.db, reply.root_id);
  if (!root) return new Map();
  const member = (userId: string) => findThreadMember(mattermost.db, root.id, userId);
  if (!member(root.user_id)) {
    saveThreadMember(mattermost.db, {
      ...stranger(root.id, root.user_id),
      following: 1,
      last_update_at: reply.create_at,
    });
  }
  const joining = new Set([reply.user_id, ...mentioned]);
  const followers = new Set([...listFollowers(mattermost.db, root.id), ...joining]);
  const before = new Map<string, Before>();
  for (const userId of followers) {
    const row = member(userId) ?? stranger(root.id, userId);
    const unread = countUnreadReplies(mattermost.db, root.id, row.last_viewed_at);
    // The reply is already stored, so it is subtracted.
    before.set(userId, { unreadReplies: Math.max(0, unread - 1), unreadMentions: row.unread_mentions });
    if (!joining.has(userId)) continue;
    const isAuthor = userId === reply.user_id;
    saveThreadMember(mattermost.db, {
      ...row,
      following: 1,
      last_update_at: reply.create_at,
      last_viewed_at: isAuthor ? reply.create_at : row.last_viewed_at,
      unread_mentions: isAuthor ? 0 : row.unread_mentions + 1,
    });
  }
  return before;
}

/** Publishes the thread to each follower as they see it. Only clients with collapsed threads receive it. */
export function publishThreadUpdated(
  mattermost: Mattermost,
  channel: ChannelRow,
  rootId: string,
  before: ReadonlyMap<string, Before>,
): void {
  if (!mattermost.isV11) return;
  for (const [userId, unread] of before) {
    const thread = threadObject(mattermost, userId, rootId, true);
    if (!thread) continue;
    mattermost.publish({
      event: "thread_updated",
      data: {
        thread: JSON.stringify(thread),
        previous_unread_mentions: unread.unreadMentions,
        previous_unread_replies: unread.unreadReplies,
      },
      broadcast: { user_id: userId, team_id: channel.team_id },
    });
  }
}

/** A follower's unread counts in a thread. */
export type ThreadUnread = { replies: number; mentions: number };

/** Sets a follower's read position in a thread. Returns null for a user who never followed it. */
export function markThreadRead(
  mattermost: Mattermost,
  userId: string,
  rootId: string,
  time: number,
  unreadMentions = 0,
): { before: ThreadUnread; after: ThreadUnread } | null {
  const member = findThreadMember(mattermost.db, rootId, userId);
  if (!member) return null;
  const before = {
    replies: countUnreadReplies(mattermost.db, rootId, member.last_viewed_at),
    mentions: member.unread_mentions,
  };
  saveThreadMember(mattermost.db, {
    ...member,
    last_viewed_at: time,
    last_update_at: mattermost.clock.now(),
    unread_mentions: unreadMentions,
  });
  return {
    before,
    after: { replies: countUnreadReplies(mattermost.db, rootId, time), mentions: unreadMentions },
  };
}
