import type { Mattermost } from "../context.ts";
import { type FileRow, listFilesOf } from "../model/files.ts";
import { findPost, listPostsByIds, listReactions, type PostRow, type ReactionRow } from "../model/posts.ts";
import {
  countReplies,
  countUnreadReplies,
  findThreadMember,
  listFollowed,
  listParticipants,
  type ThreadCount,
} from "../model/threads.ts";
import { listUsersByIds } from "../model/users.ts";
import { sparseUserObject, type UserObject, userObject } from "./channel.ts";

type PostObject = Record<string, unknown> & { id: string };

export function reactionObject(mattermost: Mattermost, row: ReactionRow): Record<string, unknown> {
  const { channel_id, ...rest } = row;
  return { ...rest, delete_at: 0, remote_id: "", ...(mattermost.isV11 && { channel_id }) };
}

/** Renders a file for `metadata.files` and the file routes. */
export function fileObject(row: FileRow): Record<string, unknown> {
  return {
    id: row.id,
    user_id: row.user_id,
    ...(row.post_id !== "" && { post_id: row.post_id }),
    channel_id: row.channel_id,
    create_at: row.create_at,
    update_at: row.update_at,
    delete_at: row.delete_at,
    name: row.name,
    extension: row.extension,
    size: row.size,
    mime_type: row.mime_type,
    ...(row.width > 0 && { width: row.width, height: row.height }),
    ...(row.has_preview === 1 && { has_preview_image: true }),
    mini_preview: null,
    remote_id: null,
    archived: false,
  };
}

type Extras = {
  thread?: ThreadCount | undefined;
  reactions?: readonly ReactionRow[];
  files?: readonly FileRow[];
  collapsed?: { participants: UserObject[] | null; isFollowing: boolean };
};

function postObject(mattermost: Mattermost, row: PostRow, extras: Extras): PostObject {
  const { reactions = [], files = [] } = extras;
  return {
    id: row.id,
    create_at: row.create_at,
    update_at: row.update_at,
    edit_at: row.edit_at,
    delete_at: row.delete_at,
    is_pinned: row.is_pinned === 1,
    user_id: row.user_id,
    channel_id: row.channel_id,
    root_id: row.root_id,
    original_id: row.original_id,
    message: row.message,
    type: row.type,
    props: JSON.parse(row.props),
    hashtags: row.hashtags,
    ...((mattermost.isV11 || files.length > 0) && { file_ids: files.map(({ id }) => id) }),
    pending_post_id: "",
    ...(reactions.length > 0 && { has_reactions: true }),
    reply_count: extras.thread?.reply_count ?? 0,
    last_reply_at: extras.collapsed ? (extras.thread?.last_reply_at ?? 0) : 0,
    participants: extras.collapsed?.participants ?? null,
    ...(extras.collapsed && { is_following: extras.collapsed.isFollowing }),
    metadata: {
      ...(files.length > 0 && { files: files.map(fileObject) }),
      ...(reactions.length > 0 && {
        reactions: reactions.map((reaction) => reactionObject(mattermost, reaction)),
      }),
    },
  };
}

export type Collapsed = { viewerId: string; isExtended: boolean };

/**
 * Renders posts with their reactions, and with reply counts for those that `countsReplies` selects. With
 * `collapsed`, adds the fields of collapsed threads.
 */
export function renderPosts(
  mattermost: Mattermost,
  rows: readonly PostRow[],
  options: {
    collapsed?: Collapsed | undefined;
    countsReplies?: ((row: PostRow) => boolean) | undefined;
  } = {},
): PostObject[] {
  const { collapsed, countsReplies = () => true } = options;
  const rootOf = (row: PostRow) => row.root_id || row.id;
  const roots = [...new Set(rows.map(rootOf))];
  const threads = countReplies(mattermost.db, roots);
  const reactions = listReactions(
    mattermost.db,
    rows.map((row) => row.id),
  );
  const files = listFilesOf(
    mattermost.db,
    rows.map((row) => row.id),
  );
  const participants = collapsed ? listParticipants(mattermost.db, roots) : new Map<string, string[]>();
  const followed = collapsed ? listFollowed(mattermost.db, collapsed.viewerId, roots) : new Set<string>();
  const people = new Map<string, UserObject>();
  if (collapsed?.isExtended) {
    const ids = [...new Set([...participants.values()].flat())];
    for (const user of listUsersByIds(mattermost.db, ids))
      people.set(user.id, userObject(user, false, mattermost.settings.showEmailAddress));
  }
  return rows.map((row) => {
    const root = rootOf(row);
    const ids = participants.get(root);
    const own = reactions.filter((reaction) => reaction.post_id === row.id);
    const shown = { reactions: own, files: files.filter((file) => file.post_id === row.id) };
    if (!countsReplies(row)) return postObject(mattermost, row, shown);
    return postObject(mattermost, row, {
      ...shown,
      thread: threads.get(root),
      ...(collapsed && {
        collapsed: {
          participants: ids ? ids.map((id) => people.get(id) ?? sparseUserObject(id)) : null,
          isFollowing: followed.has(root),
        },
      }),
    });
  });
}

export function renderPost(mattermost: Mattermost, row: PostRow): PostObject {
  const [post] = renderPosts(mattermost, [row]);
  if (!post) throw new Error("one row renders to one post");
  return post;
}

/**
 * Renders the post for its `posted` event and for the answer to its author, the only places with the pending
 * id.
 */
export function renderNewPost(mattermost: Mattermost, row: PostRow): PostObject {
  return { ...renderPost(mattermost, row), pending_post_id: row.pending_post_id };
}

/** Renders the post without metadata, for `post_deleted` and a repeated create. */
export function renderBarePost(mattermost: Mattermost, row: PostRow): PostObject {
  const { metadata: _, ...post } = renderPost(mattermost, row);
  return post;
}

type PostListOptions = {
  next?: string;
  prev?: string;
  hasNext?: boolean;
  collapsed?: Collapsed | undefined;
  /** Selects the posts that get a reply count; by default all. */
  countsReplies?: (row: PostRow) => boolean;
  /** Adds the roots of listed replies to `posts`. */
  withRoots?: boolean;
  /** More rows for `posts` that are not part of the order. */
  beside?: readonly PostRow[];
  /** The order, if it differs from that of the rows. */
  order?: string[];
};

/** Returns the rows of a list that are not part of its order: the roots of replies, and others on request. */
function rowsBeside(mattermost: Mattermost, rows: readonly PostRow[], options: PostListOptions): PostRow[] {
  const beside = [...(options.beside ?? [])];
  if (!options.withRoots) return beside;
  const present = new Set([...rows, ...beside].map((row) => row.id));
  const missing = new Set(rows.map((row) => row.root_id).filter((id) => id !== "" && !present.has(id)));
  return missing.size > 0 ? [...beside, ...listPostsByIds(mattermost.db, [...missing])] : beside;
}

/** Renders rows, newest first, as a list for clients. A deleted post has no text. */
export function renderPostList(
  mattermost: Mattermost,
  rows: readonly PostRow[],
  options: PostListOptions = {},
): Record<string, unknown> {
  const isGone = (row: PostRow) => row.delete_at > 0 && row.original_id === "";
  const all = [...rows, ...rowsBeside(mattermost, rows, options)];
  const shown = all.map((row) => (isGone(row) ? { ...row, message: "" } : row));
  const posts = renderPosts(mattermost, shown, options);
  return {
    order: options.order ?? rows.map((row) => row.id),
    posts: Object.fromEntries(posts.map((post) => [post.id, post])),
    next_post_id: options.next ?? "",
    prev_post_id: options.prev ?? "",
    has_next: options.hasNext ?? false,
    ...(mattermost.isV11 && { first_inaccessible_post_time: 0 }),
  };
}

/** Renders a thread as one follower sees it, or null if its root post is missing. */
export function threadObject(
  mattermost: Mattermost,
  viewerId: string,
  rootId: string,
  isExtended: boolean,
): Record<string, unknown> | null {
  const root = findPost(mattermost.db, rootId);
  if (!root) return null;
  const member = findThreadMember(mattermost.db, rootId, viewerId);
  const lastViewedAt = member?.last_viewed_at ?? 0;
  const count = countReplies(mattermost.db, [rootId]).get(rootId);
  const [post] = renderPosts(mattermost, [root], { collapsed: { viewerId, isExtended } });
  return {
    id: rootId,
    reply_count: count?.reply_count ?? 0,
    last_reply_at: count?.last_reply_at ?? 0,
    last_viewed_at: lastViewedAt,
    participants: post?.participants ?? [],
    post,
    unread_replies: countUnreadReplies(mattermost.db, rootId, lastViewedAt),
    unread_mentions: member?.unread_mentions ?? 0,
    ...(mattermost.isV11 && { is_urgent: false }),
    delete_at: root.delete_at,
  };
}
