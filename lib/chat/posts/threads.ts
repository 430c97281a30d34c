import type { ThreadsPage } from "../../contract/answers.ts";
import { CodedError } from "../../errors.ts";
import { readChannel, readOwnMembership } from "../../mattermost/channels.ts";
import { isRefusal, notFoundIfForbidden } from "../../mattermost/exchange.ts";
import {
  followThread,
  listThreads,
  readAllThreads,
  readThreadUntil,
  unreadFromPost,
  unreadThreadFrom,
} from "../../mattermost/posts.ts";
import { listPreferences } from "../../mattermost/preferences.ts";
import { readUsers } from "../../mattermost/users.ts";
import { believeEmpty } from "../access/explain-failure.ts";
import { collapsesThreads } from "../channels/channel-settings.ts";
import { partnerIdOf } from "../channels/open-direct.ts";
import { projectUsers } from "../people/search-users.ts";
import { rememberPosts } from "../session/gateway.ts";
import { readOwnId, type Session } from "../session/session.ts";
import { projectPost, readVisiblePost, usersOf } from "./post.ts";
import { readChannelsOf } from "./search-posts.ts";

/** A page of the threads that the caller follows: those that they began, answered in, or were named in. */
export async function listFollowedThreads(
  session: Session,
  wanted: { perPage: number; before?: string | undefined; isUnread: boolean },
): Promise<ThreadsPage> {
  const { caller, gateway } = session;
  const [isCollapsed, page] = await Promise.all([
    collapsesThreads(session, () => listPreferences(caller)),
    listThreads(caller, gateway.teamId, wanted),
  ]);
  if (page.threads.length === 0) await believeEmpty(gateway);
  const posts = page.threads.map(({ post }) => post);
  rememberPosts(gateway.caches, posts);
  const channels = posts.length > 0 ? await readChannelsOf(session, posts) : [];
  const ownId = channels.some(({ type }) => type === "D") ? await readOwnId(session) : "";
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

/** Marks a thread read up to a time (ms). @throws CodedError `not_found` for one that the caller does not follow */
export async function markThreadRead(session: Session, rootId: string, time: number): Promise<void> {
  const { caller, gateway } = session;
  try {
    // What stands at the very time that it is told Mattermost takes for unread mentions.
    await readThreadUntil(caller, gateway.teamId, rootId, time + 1);
  } catch (error) {
    // Older servers take what nobody answered for a fault of their own.
    if (!isRefusal(error, "app.user.get_threads_for_user.app_error")) throw error;
    const { reply_count } = await readVisiblePost(session, rootId);
    throw reply_count > 0 ? error : new CodedError("not_found", { cause: error });
  }
}

/** Marks all threads that the caller follows read. */
export function markAllThreadsRead({ caller, gateway }: Session): Promise<void> {
  return readAllThreads(caller, gateway.teamId);
}

/** Follows a thread, or ceases to. @throws CodedError `not_found` */
export function setFollowed(
  { caller, gateway }: Session,
  rootId: string,
  isFollowed: boolean,
): Promise<void> {
  return followThread(caller, gateway.teamId, rootId, isFollowed);
}

/**
 * Makes a channel unread to the caller from a post on, on all their devices. A reply that counts apart from its channel
 * makes its thread unread, which the caller follows from then on.
 * @throws CodedError `not_found`, also for those who are no members; `conflict` where the channel is archived
 */
export async function markUnread(session: Session, channelId: string, postId: string): Promise<void> {
  const { caller, gateway } = session;
  const [post, isCollapsed] = await Promise.all([
    readVisiblePost(session, postId),
    collapsesThreads(session),
  ]);
  if (post.channel_id !== channelId) throw new CodedError("not_found");
  if (post.root_id !== "" && isCollapsed)
    return unreadThreadFrom(caller, gateway.teamId, post.root_id, postId);
  try {
    await unreadFromPost(caller, postId, isCollapsed);
  } catch (error) {
    // Mattermost finds no count in an archived channel, nor of somebody who is in none, and takes that for its own fault.
    if (!isRefusal(error, "app.channel.update_last_viewed_at_post.app_error")) throw error;
    const { delete_at } = await readChannel(caller, channelId);
    if (delete_at > 0)
      throw new CodedError("conflict", { message: "This channel is archived.", cause: error });
    await notFoundIfForbidden(readOwnMembership(caller, channelId));
    throw error;
  }
}
