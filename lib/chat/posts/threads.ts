import type { ThreadsPage } from "../../contract/answers.ts";
import { CodedError } from "../../errors.ts";
import { readChannel, readOwnMembership } from "../../mattermost/channels.ts";
import { isRefusal, notFoundIfForbidden } from "../../mattermost/exchange.ts";
import { unreadFromPost } from "../../mattermost/posts.ts";
import { listPreferences } from "../../mattermost/preferences.ts";
import {
  followThread,
  listThreads,
  readAllThreads,
  readThreadUntil,
  unreadThreadFrom,
} from "../../mattermost/threads.ts";
import { readUsers } from "../../mattermost/users.ts";
import { believeEmpty } from "../access/explain-failure.ts";
import { rememberPosts } from "../caller/caches.ts";
import { type CallerContext, readOwnId } from "../caller/caller-context.ts";
import { collapsesThreads } from "../channels/channel-settings.ts";
import { partnerIdOf } from "../channels/direct-partner.ts";
import { projectUsers } from "../people/search-users.ts";
import { projectPost, readVisiblePost, usersOf } from "./post.ts";
import { readChannelsOf } from "./search-posts.ts";

/** Lists a page of the threads that the caller follows: those they started, replied to, or were mentioned in. */
export async function listFollowedThreads(
  context: CallerContext,
  wanted: { perPage: number; before?: string | undefined; isUnread: boolean },
): Promise<ThreadsPage> {
  const { caller, chat } = context;
  const [isCollapsed, page] = await Promise.all([
    collapsesThreads(context, () => listPreferences(caller)),
    listThreads(caller, chat.teamId, wanted),
  ]);
  if (page.threads.length === 0) await believeEmpty(chat);
  const posts = page.threads.map(({ post }) => post);
  rememberPosts(chat.caches, posts);
  const channels = posts.length > 0 ? await readChannelsOf(context, posts) : [];
  const ownId = channels.some(({ type }) => type === "D") ? await readOwnId(context) : "";
  const partners = channels.flatMap((channel) => partnerIdOf(channel, ownId) ?? []);
  const met = page.threads.flatMap(({ post, participants }) => [...usersOf(post), ...participants]);
  const users = projectUsers(await readUsers(caller, [...new Set([...met, ...partners])]));
  return {
    threads: page.threads.map(({ post, ...thread }) => ({
      ...thread,
      channel_id: post.channel_id,
      post: projectPost(post, users),
    })),
    users,
    channels: Object.fromEntries(channels.map((channel) => [channel.id, channel])),
    totalUnread: page.total_unread_threads,
    totalMentions: page.total_unread_mentions,
    hasMore: page.threads.length === wanted.perPage,
    isCollapsed,
  };
}

/** Marks a thread read up to a time (ms). @throws CodedError `not_found` if the caller does not follow it */
export async function markThreadRead(context: CallerContext, rootId: string, time: number): Promise<void> {
  const { caller, chat } = context;
  try {
    // Mattermost counts posts written exactly at the given time as unread mentions.
    await readThreadUntil(caller, chat.teamId, rootId, time + 1);
  } catch (error) {
    // Older servers report a thread without replies as an internal error.
    if (!isRefusal(error, "app.user.get_threads_for_user.app_error")) throw error;
    const { reply_count } = await readVisiblePost(context, rootId);
    throw reply_count > 0 ? error : new CodedError("not_found", { cause: error });
  }
}

/** Marks all threads that the caller follows as read. */
export function markAllThreadsRead({ caller, chat }: CallerContext): Promise<void> {
  return readAllThreads(caller, chat.teamId);
}

/** Follows or unfollows a thread. @throws CodedError `not_found` */
export function setFollowed(
  { caller, chat }: CallerContext,
  rootId: string,
  isFollowed: boolean,
): Promise<void> {
  return followThread(caller, chat.teamId, rootId, isFollowed);
}

/**
 * Marks a channel unread for the caller from a post on, on all their devices. For a reply that is counted
 * separately from its channel, marks the reply's thread unread instead, and the caller follows the thread
 * from then on.
 * @throws CodedError `not_found`, including for non-members; `conflict` if the channel is archived
 */
export async function markUnread(context: CallerContext, channelId: string, postId: string): Promise<void> {
  const { caller, chat } = context;
  const [post, isCollapsed] = await Promise.all([
    readVisiblePost(context, postId),
    collapsesThreads(context),
  ]);
  if (post.channel_id !== channelId) throw new CodedError("not_found");
  if (post.root_id !== "" && isCollapsed) return unreadThreadFrom(caller, chat.teamId, post.root_id, postId);
  try {
    await unreadFromPost(caller, postId, isCollapsed);
  } catch (error) {
    // In an archived channel, or for a user without channels, Mattermost finds no count and reports an internal error.
    if (!isRefusal(error, "app.channel.update_last_viewed_at_post.app_error")) throw error;
    const { delete_at } = await readChannel(caller, channelId);
    if (delete_at > 0)
      throw new CodedError("conflict", { message: "This channel is archived.", cause: error });
    await notFoundIfForbidden(readOwnMembership(caller, channelId));
    throw error;
  }
}
