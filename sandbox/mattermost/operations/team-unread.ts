import type { Backend } from "../backend.ts";
import { listFollowedThreads } from "../model/threads.ts";

type Sums = { msg: number | null; root: number | null; mentions: number | null; mentionsRoot: number | null };

/** What is unread to a user in a team's channels (D and G are of no team); muted channels count for mentions only. */
export function readTeamUnread(
  backend: Backend,
  userId: string,
  teamId: string,
  withThreads: boolean,
): Record<string, unknown> {
  const sums = backend.db.first<Sums>(
    `SELECT
       sum(CASE WHEN isMuted THEN 0 ELSE max(0, total_msg_count - msg_count) END) AS msg,
       sum(CASE WHEN isMuted THEN 0 ELSE max(0, total_msg_count_root - msg_count_root) END) AS root,
       sum(mention_count) AS mentions, sum(mention_count_root) AS mentionsRoot
     FROM (SELECT c.total_msg_count, c.total_msg_count_root, m.msg_count, m.msg_count_root, m.mention_count,
         m.mention_count_root, coalesce(json_extract(m.notify_props, '$.mark_unread'), '') = 'mention' AS isMuted
       FROM channel_members m JOIN channels c ON c.id = m.channel_id
       WHERE m.user_id = ? AND c.team_id = ? AND c.delete_at = 0)`,
    userId,
    teamId,
  );
  const threads = withThreads ? listFollowedThreads(backend.db, userId, teamId) : [];
  return {
    team_id: teamId,
    msg_count: sums?.msg ?? 0,
    mention_count: sums?.mentions ?? 0,
    mention_count_root: sums?.mentionsRoot ?? 0,
    msg_count_root: sums?.root ?? 0,
    thread_count: threads.filter((thread) => thread.unread_replies > 0).length,
    thread_mention_count: threads.reduce((sum, thread) => sum + thread.unread_mentions, 0),
    ...(backend.isV11 && { thread_urgent_mention_count: 0 }),
  };
}
