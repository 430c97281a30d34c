import type { Backend } from "../backend.ts";
import { findPost } from "../model/posts.ts";
import { countReplies, countUnreadReplies, findThreadMember } from "../model/threads.ts";
import { renderPosts } from "./post.ts";

/** A thread as one follower sees it, null when there is no such root post. */
export function threadObject(
  backend: Backend,
  viewerId: string,
  rootId: string,
  isExtended: boolean,
): Record<string, unknown> | null {
  const root = findPost(backend.db, rootId);
  if (!root) return null;
  const member = findThreadMember(backend.db, rootId, viewerId);
  const lastViewedAt = member?.last_viewed_at ?? 0;
  const count = countReplies(backend.db, [rootId]).get(rootId);
  const [post] = renderPosts(backend, [root], { collapsed: { viewerId, isExtended } });
  return {
    id: rootId,
    reply_count: count?.reply_count ?? 0,
    last_reply_at: count?.last_reply_at ?? 0,
    last_viewed_at: lastViewedAt,
    participants: post?.participants ?? [],
    post,
    unread_replies: countUnreadReplies(backend.db, rootId, lastViewedAt),
    unread_mentions: member?.unread_mentions ?? 0,
    ...(backend.isV11 && { is_urgent: false }),
    delete_at: root.delete_at,
  };
}
