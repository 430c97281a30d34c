import { type Context, param, queryFlag, queryNumber } from "../context.ts";
import { demand, refuse } from "../errors.ts";
import { findPost, listReplies, type PostRow } from "../model/posts.ts";
import {
  countReplies,
  type FollowedThread,
  findThreadMember,
  listFollowedThreads,
  saveThreadMember,
} from "../model/threads.ts";
import { findMentions } from "../operations/find-mentions.ts";
import { markThreadRead } from "../operations/threads.ts";
import { canInChannel, demandInTeam, demandSelf } from "../permissions.ts";
import { channelOf, ok, requirePost, requirePostWithRight } from "../require.ts";
import { type Route, route } from "../router.ts";
import { threadObject } from "../serializers/post.ts";

const DEFAULT_LIMIT = 30;
const MAX_LIMIT = 200;

type Reader = { userId: string; teamId: string };

function readReader(context: Context): Reader {
  const reader = { userId: param(context, "user_id"), teamId: param(context, "team_id") };
  demandSelf(context, reader.userId);
  demandInTeam(context, reader.teamId, "view_team");
  return reader;
}

/**
 * Returns the requested part of the followed threads: a page that starts at one of them, or the changes since
 * a time.
 */
function select(context: Context, all: readonly FollowedThread[]): FollowedThread[] {
  const limit = Math.min(queryNumber(context, "per_page", DEFAULT_LIMIT), MAX_LIMIT) || DEFAULT_LIMIT;
  const since = queryNumber(context, "since", 0);
  const wanted = queryFlag(context, "unread")
    ? all.filter((thread) => thread.unread_replies > 0 || thread.unread_mentions > 0)
    : [...all];
  if (since > 0) return wanted.filter((thread) => thread.last_reply_at >= since);
  const timeOf = (id: string) => all.find((thread) => thread.post_id === id)?.last_reply_at ?? 0;
  const before = context.query.get("before");
  const after = context.query.get("after");
  if (before) return wanted.filter((thread) => thread.last_reply_at < timeOf(before)).slice(0, limit);
  // These are the threads closest to the given one, still newest first.
  if (after) return wanted.filter((thread) => thread.last_reply_at > timeOf(after)).slice(-limit);
  return wanted.slice(0, limit);
}

function getThreads(context: Context): unknown {
  const { mattermost } = context;
  const { userId, teamId } = readReader(context);
  const all = listFollowedThreads(mattermost.db, userId, teamId);
  const isCountsOnly = queryFlag(context, "totalsOnly");
  const isExtended = queryFlag(context, "extended");
  const threads = isCountsOnly
    ? []
    : select(context, all).map((thread) => threadObject(mattermost, userId, thread.post_id, isExtended));
  if (queryFlag(context, "threadsOnly")) {
    return { total: 0, total_unread_threads: 0, total_unread_mentions: 0, threads };
  }
  return {
    total: all.length,
    total_unread_threads: all.filter((thread) => thread.unread_replies > 0).length,
    total_unread_mentions: all.reduce((sum, thread) => sum + thread.unread_mentions, 0),
    ...(mattermost.isV11 && { total_unread_urgent_mentions: 0 }),
    threads,
  };
}

/** Returns the root of a thread in one of the reader's channels. @throws ApiError */
function requireRoot(context: Context, reader: Reader): PostRow {
  const id = param(context, "thread_id");
  if (context.mattermost.isV11) return requirePostWithRight(context, id, "read_channel");
  const post = requirePost(context, id);
  demand(canInChannel(context.mattermost.db, reader.userId, channelOf(context, post), "read_channel"));
  return post;
}

/** Counts the mentions in replies since a time, including replies at exactly that time. */
function countMentions(context: Context, { userId }: Reader, root: PostRow, time: number): number {
  const { mattermost } = context;
  const channel = channelOf(context, root);
  return listReplies(mattermost.db, root.id).filter(
    (reply) =>
      reply.create_at >= time &&
      reply.user_id !== userId &&
      findMentions(mattermost, channel, reply).has(userId),
  ).length;
}

function read(context: Context, reader: Reader, root: PostRow, time: number): unknown {
  const { mattermost } = context;
  const marked = markThreadRead(
    mattermost,
    reader.userId,
    root.id,
    time,
    countMentions(context, reader, root, time),
  );
  if (!marked)
    refuse(
      mattermost.isV11
        ? "app.user.get_thread_membership_for_user.not_found"
        : "app.user.get_threads_for_user.app_error",
    );
  mattermost.publish({
    event: "thread_read_changed",
    data: {
      thread_id: root.id,
      timestamp: time,
      channel_id: root.channel_id,
      unread_mentions: marked.after.mentions,
      unread_replies: marked.after.replies,
      previous_unread_mentions: marked.before.mentions,
      previous_unread_replies: marked.before.replies,
    },
    broadcast: { user_id: reader.userId, team_id: reader.teamId },
  });
  return threadObject(mattermost, reader.userId, root.id, true);
}

function putRead(context: Context): unknown {
  const reader = readReader(context);
  return read(context, reader, requireRoot(context, reader), Number(param(context, "timestamp")));
}

function postSetUnread(context: Context): unknown {
  const reader = readReader(context);
  const root = requireRoot(context, reader);
  const reply = findPost(context.mattermost.db, param(context, "reply_id"));
  const isOfThread = reply && (reply.id === root.id || reply.root_id === root.id);
  if (!isOfThread) refuse("app.post.get.app_error");
  follow(context, reader, root, { state: true, isTold: context.mattermost.isV11 });
  return read(context, reader, root, reply.create_at - 1);
}

function putAllRead(context: Context): unknown {
  const { mattermost } = context;
  const { userId, teamId } = readReader(context);
  const timestamp = mattermost.clock.now();
  for (const thread of listFollowedThreads(mattermost.db, userId, teamId)) {
    markThreadRead(mattermost, userId, thread.post_id, Math.max(timestamp, thread.last_reply_at));
  }
  mattermost.publish({
    event: "thread_read_changed",
    data: { timestamp },
    broadcast: { user_id: userId, team_id: teamId },
  });
  return ok;
}

/** Follows or unfollows a thread. Following it, even again, marks it as read. */
function follow(
  context: Context,
  { userId, teamId }: Reader,
  root: PostRow,
  { state, isTold = true }: { state: boolean; isTold?: boolean },
): void {
  const { mattermost } = context;
  const present = findThreadMember(mattermost.db, root.id, userId);
  const now = mattermost.clock.now();
  const seen = { last_viewed_at: now, unread_mentions: 0 };
  saveThreadMember(mattermost.db, {
    post_id: root.id,
    user_id: userId,
    ...(state || !present ? seen : present),
    following: Number(state),
    last_update_at: now,
  });
  if (!isTold) return;
  const reply_count = countReplies(mattermost.db, [root.id]).get(root.id)?.reply_count ?? 0;
  mattermost.publish({
    event: "thread_follow_changed",
    data: { thread_id: root.id, state, reply_count },
    broadcast: { user_id: userId, team_id: teamId },
  });
}

function setFollowing(context: Context, state: boolean): unknown {
  const reader = readReader(context);
  follow(context, reader, requirePostWithRight(context, param(context, "thread_id"), "read_channel"), {
    state,
  });
  return ok;
}

const base = "/users/{user_id}/teams/{team_id}/threads";

export const threadRoutes: Route[] = [
  route("GET", base, getThreads),
  route("PUT", `${base}/read`, putAllRead),
  route("PUT", `${base}/{thread_id}/read/{timestamp}`, putRead),
  route("PUT", `${base}/{thread_id}/following`, (context) => setFollowing(context, true)),
  route("DELETE", `${base}/{thread_id}/following`, (context) => setFollowing(context, false)),
  route("POST", `${base}/{thread_id}/set_unread/{reply_id}`, postSetUnread),
];
