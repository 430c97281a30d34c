import type { Mattermost } from "../context.ts";
import { refuse } from "../errors.ts";
import { isCountedType, isSystemType, makeId } from "../id.ts";
import { addMention, type ChannelRow, countPost, findChannel } from "../model/channels.ts";
import { attachFiles, deleteFilesOf, listFilesOf } from "../model/files.ts";
import { findPost, insertPost, listReplies, type PostRow, updatePost } from "../model/posts.ts";
import { deletePreferencesNamed } from "../model/preferences.ts";
import { deleteThreadMembers } from "../model/threads.ts";
import { findUser } from "../model/users.ts";
import { renderBarePost, renderNewPost, renderPost } from "../serializers/post.ts";
import { findAnswered, findMentions, readHashtags, withNamedChannels } from "./find-mentions.ts";
import { followAfterReply, publishThreadUpdated } from "./threads.ts";
import { viewChannels } from "./unread.ts";

export type NewPost = {
  channel: ChannelRow;
  userId: string;
  message: string;
  type?: string;
  props?: Record<string, unknown>;
  rootId?: string;
  pendingId?: string;
  isPinned?: boolean;
  fileIds?: readonly string[];
  /** Time in milliseconds; by default now. */
  createAt?: number;
  /** Value of `set_online` in the `posted` event. */
  isOnlineSet?: boolean;
  /** Users to add to `mentions`. */
  alsoMentioned?: readonly string[];
};

function writePost(mattermost: Mattermost, post: NewPost): PostRow {
  const now = mattermost.clock.tick();
  const createAt = post.createAt || now;
  return insertPost(mattermost.db, {
    id: makeId(),
    create_at: createAt,
    update_at: createAt,
    edit_at: 0,
    delete_at: 0,
    is_pinned: Number(post.isPinned ?? false),
    user_id: post.userId,
    channel_id: post.channel.id,
    root_id: post.rootId ?? "",
    original_id: "",
    message: post.message,
    type: post.type ?? "",
    props: JSON.stringify(
      withNamedChannels(mattermost, post.channel.team_id, {
        message: post.message,
        props: post.props ?? {},
      }),
    ),
    hashtags: readHashtags(post.message),
    pending_post_id: post.pendingId ?? "",
  });
}

/** Stores a post and its effects: counters, mentions, threads, the author's read position, and events. */
export function storePost(mattermost: Mattermost, post: NewPost): PostRow {
  const row = writePost(mattermost, post);
  attachFiles(mattermost.db, post.fileIds ?? [], row);
  const isRoot = row.root_id === "";
  const isCounted = isCountedType(row.type);
  countPost(mattermost.db, row.channel_id, { createAt: row.create_at, isCounted, isRoot });
  const root = isRoot ? undefined : findPost(mattermost.db, row.root_id);
  if (root) updatePost(mattermost.db, root, { update_at: row.create_at });

  const meant = isSystemType(row.type) ? new Set<string>() : findMentions(mattermost, post.channel, row);
  const answered = isSystemType(row.type) ? [] : findAnswered(mattermost, row);
  for (const userId of [...answered, ...(post.alsoMentioned ?? [])]) meant.add(userId);
  for (const userId of meant) addMention(mattermost.db, row.channel_id, userId, isRoot, row.create_at);
  const followers = isRoot ? new Map() : followAfterReply(mattermost, row, meant);

  const channel = findChannel(mattermost.db, row.channel_id) ?? post.channel;
  publishPosted(mattermost, row, channel, meant, new Set(followers.keys()), post.isOnlineSet ?? true);
  const isThreaded = mattermost.isV11 && !isRoot;
  const isOfMachine = post.props?.from_webhook === "true" || post.props?.from_bot === "true";
  if (!isSystemType(row.type) && !isThreaded && !isOfMachine)
    viewChannels(mattermost, row.user_id, [row.channel_id], false);
  publishThreadUpdated(mattermost, channel, row.root_id, followers);
  return row;
}

function publishPosted(
  mattermost: Mattermost,
  row: PostRow,
  channel: ChannelRow,
  mentioned: ReadonlySet<string>,
  threadFollowers: ReadonlySet<string>,
  isOnlineSet: boolean,
): void {
  const author = findUser(mattermost.db, row.user_id);
  const files = listFilesOf(mattermost.db, [row.id]);
  const senderName = isSystemType(row.type) ? "System" : `@${author?.username ?? ""}`;
  const data = {
    channel_display_name: channel.type === "D" ? senderName : channel.display_name,
    channel_name: channel.name,
    channel_type: channel.type,
    post: JSON.stringify(renderNewPost(mattermost, row)),
    sender_name: senderName,
    set_online: isOnlineSet,
    team_id: channel.team_id,
    ...(files.length > 0 && { otherFile: "true" }),
    ...(files.some((file) => file.mime_type.startsWith("image/")) && { image: "true" }),
  };
  const followers = new Set([...threadFollowers].filter((id) => id !== row.user_id));
  const broadcast = { channel_id: channel.id };
  const named = (key: string, ids: readonly string[]) =>
    ids.length > 0 ? { [key]: JSON.stringify(ids) } : {};
  if (!mattermost.isV11) {
    const all = { ...data, ...named("mentions", [...mentioned]), ...named("followers", [...followers]) };
    mattermost.publish({ event: "posted", data: all, broadcast });
    return;
  }
  const dataFor = (userId: string) => ({
    ...data,
    ...named("mentions", mentioned.has(userId) ? [userId] : []),
    ...named("followers", followers.has(userId) ? [userId] : []),
  });
  mattermost.publish({ event: "posted", data, broadcast, dataFor });
}

export const MAX_MESSAGE_RUNES = 16_383;
const MAX_PROPS_RUNES = 800_000;

const runes = (text: string) => [...text].length;

/** @throws ApiError 400 if the message is too long. An empty one is valid. */
export function checkMessage(mattermost: Mattermost, message: string): void {
  if (runes(message) <= MAX_MESSAGE_RUNES) return;
  refuse(
    mattermost.isV11 ? "model.post.is_valid.message_length.app_error" : "model.post.is_valid.msg.app_error",
  );
}

export function checkProps(props: Record<string, unknown>): void {
  if (runes(JSON.stringify(props)) > MAX_PROPS_RUNES) refuse("model.post.is_valid.props.app_error");
}

export type PostChanges = { message?: string; is_pinned?: boolean; props?: Record<string, unknown> };

/** Edits a post. A changed message leaves the old version behind, hidden. */
export function editPost(mattermost: Mattermost, post: PostRow, changes: PostChanges): PostRow {
  const now = mattermost.clock.tick();
  const isReworded = changes.message !== undefined && changes.message !== post.message;
  if (isReworded) {
    const { number: _, ...old } = post;
    insertPost(mattermost.db, { ...old, id: makeId(), original_id: post.id, delete_at: now, update_at: now });
  }
  const given = changes.props ?? JSON.parse(post.props);
  const teamId = findChannel(mattermost.db, post.channel_id)?.team_id ?? "";
  const props = mattermost.isV11
    ? withNamedChannels(mattermost, teamId, { message: changes.message ?? post.message, props: given })
    : given;
  const next = updatePost(mattermost.db, post, {
    update_at: now,
    props: JSON.stringify(props),
    ...(isReworded && {
      message: changes.message,
      edit_at: now,
      hashtags: readHashtags(changes.message ?? ""),
    }),
    ...(changes.is_pinned !== undefined && { is_pinned: Number(changes.is_pinned) }),
  });
  if (isReworded)
    countPost(mattermost.db, post.channel_id, { createAt: now, isCounted: false, isRoot: false });
  publishEdited(mattermost, next);
  return next;
}

export function publishEdited(mattermost: Mattermost, post: PostRow): void {
  mattermost.publish({
    event: "post_edited",
    data: { post: JSON.stringify(renderPost(mattermost, post)) },
    broadcast: { channel_id: post.channel_id },
  });
}

/**
 * Deletes a post or, for a root, the post and its replies, with one event. The event tells admins who deleted
 * it.
 */
export function deletePost(mattermost: Mattermost, post: PostRow, deleterId: string): void {
  const data = { post: JSON.stringify(renderBarePost(mattermost, post)) };
  const now = mattermost.clock.tick();
  const replies = post.root_id === "" ? listReplies(mattermost.db, post.id) : [];
  for (const gone of [post, ...replies]) {
    updatePost(mattermost.db, gone, { delete_at: now, update_at: now });
    deleteFilesOf(mattermost.db, gone.id, now);
    deletePreferencesNamed(mattermost.db, "flagged_post", gone.id);
  }
  if (post.root_id === "") deleteThreadMembers(mattermost.db, post.id);
  const broadcast = { channel_id: post.channel_id };
  mattermost.publish({
    event: "post_deleted",
    data,
    broadcast: { ...broadcast, contains_sanitized_data: true },
  });
  mattermost.publish({
    event: "post_deleted",
    data: { ...data, delete_by: deleterId },
    broadcast: { ...broadcast, contains_sensitive_data: true },
  });
}
