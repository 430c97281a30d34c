import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { Channel, Post, User } from "./model.ts";
import { rememberPendingId } from "./outbox.ts";
import { appendPost, mapPages, type Timeline, type TimelinePage, updatePost } from "./timeline-pages.ts";

/**
 * Changes the cached value of a key, if there is one. A value that is marked as stale stays stale, although
 * the library treats every new value as an answer.
 */
export function changeNow<T>(cache: QueryClient, queryKey: QueryKey, change: (kept: T) => T): void {
  for (const query of cache.getQueryCache().findAll({ queryKey })) {
    const { data, isInvalidated } = query.state;
    const changed = data === undefined ? data : change(data as T);
    if (changed === data) continue;
    cache.setQueryData<T>(query.queryKey, changed as T);
    if (isInvalidated) query.invalidate();
  }
}

/**
 * Changes the cached value of a key, and changes it again after each fetch that is in progress or follows
 * immediately, because the fetched answer may be older than the change and would undo it. Applying the change
 * twice must be harmless.
 */
function changeKept<T>(cache: QueryClient, queryKey: QueryKey, change: (kept: T) => T): void {
  for (const query of cache.getQueryCache().findAll({ queryKey })) {
    const apply = () => {
      if (query.state.fetchStatus === "fetching") query.promise?.then(applyLater, applyLater);
      changeNow(cache, query.queryKey, change);
    };
    const applyLater = () => setTimeout(apply);
    apply();
  }
}

/** Changes one post in every timeline and thread that shows it. */
export function changePost(cache: QueryClient, postId: string, change: (post: Post) => Post): void {
  changeKept<Timeline>(cache, queryKeys.timelines, (timeline) => updatePost(timeline, postId, change));
  changeKept<Post[]>(cache, queryKeys.threads, (posts) =>
    posts.some(({ id }) => id === postId)
      ? posts.map((post) => (post.id === postId ? change(post) : post))
      : posts,
  );
}

/** Adds a new post to its channel's timelines, its thread, and its root's reply count. */
export function addPost(cache: QueryClient, post: Post): void {
  rememberPendingId(post);
  changeKept<Timeline>(cache, queryKeys.timelinesOf(post.channelId), (timeline) =>
    appendPost(timeline, post),
  );
  if (post.rootId === "") return;
  changeKept<Post[]>(cache, queryKeys.thread(post.rootId), (posts) =>
    posts.some(({ id }) => id === post.id) ? posts : [...posts, post],
  );
  changePost(cache, post.rootId, (root) => countReply(root, post));
}

/** Counts a reply unless the root's last reply time shows that it was already counted. */
function countReply(root: Post, reply: Post): Post {
  if ((root.lastReplyAt ?? 0) >= reply.createAt) return root;
  const known = root.replyCount ?? 0;
  const replyCount = reply.replyCount ? Math.max(known, reply.replyCount) : known + 1;
  const others = (root.participants ?? []).filter(({ id }) => id !== reply.userId);
  const participants = [...others, { id: reply.userId }];
  return { ...root, replyCount, lastReplyAt: reply.createAt, participants };
}

export type Pinned = { posts: Post[]; total: number };

/** Adds a post to the pinned posts of its channel, updates it there, or removes it. */
export function notePinned(cache: QueryClient, post: Post, isPinned: boolean): void {
  changeKept<Pinned>(cache, queryKeys.pinned(post.channelId), (kept) => {
    const others = kept.posts.filter(({ id }) => id !== post.id);
    const wasPinned = others.length < kept.posts.length;
    if (!isPinned) return wasPinned ? { posts: others, total: kept.total - 1 } : kept;
    return {
      posts: [...others, post].sort((a, b) => b.createAt - a.createAt),
      total: wasPinned ? kept.total : kept.total + 1,
    };
  });
}

/** Subtracts a deleted reply from its root's count. */
export function discountReply(cache: QueryClient, rootId: string): void {
  changeNow<Timeline>(cache, queryKeys.timelines, (timeline) =>
    updatePost(timeline, rootId, (root) => ({
      ...root,
      replyCount: Math.max(0, (root.replyCount ?? 0) - 1),
    })),
  );
}

/** Changes the channel data and the reader's state in the cached pages. */
export function changePages(
  cache: QueryClient,
  channelId: string,
  change: (page: TimelinePage) => TimelinePage,
): void {
  changeKept<Timeline>(cache, queryKeys.timelinesOf(channelId), (timeline) => mapPages(timeline, change));
}

export function changeChannel(
  cache: QueryClient,
  channelId: string,
  change: (channel: Channel) => Channel,
): void {
  changeNow<Channel[]>(cache, queryKeys.channels, (channels) =>
    channels.map((channel) => (channel.id === channelId ? change(channel) : channel)),
  );
}

/** Stores users from any answer in a map by id. */
export function rememberUsers(cache: QueryClient, users: Iterable<User>): void {
  cache.setQueryData<Record<string, User>>(queryKeys.users, (known) => ({
    ...known,
    ...Object.fromEntries([...users].map((user) => [user.id, user])),
  }));
}

/** The keys of the query cache. */
export const queryKeys = {
  me: ["me"] as const,
  channels: ["channels"] as const,
  users: ["users"] as const,
  timelines: ["timeline"] as const,
  /** `anchor` is the post at which the timeline was opened, or `latest`. */
  timeline: (channelId: string, anchor: string) => ["timeline", channelId, anchor] as const,
  timelinesOf: (channelId: string) => ["timeline", channelId] as const,
  /** The threads that the user follows. */
  inbox: ["inbox"] as const,
  threads: ["thread"] as const,
  thread: (rootId: string) => ["thread", rootId] as const,
  /** Pinned posts of channels. */
  allPinned: ["pinned"] as const,
  pinned: (channelId: string) => ["pinned", channelId] as const,
  allMembers: ["members"] as const,
  members: (channelId: string, term: string) => ["members", channelId, term] as const,
  /** Preview of a link. */
  preview: (address: string) => ["preview", address] as const,
  /** Public channels. */
  allBrowsed: ["browse"] as const,
  browse: (term: string) => ["browse", term] as const,
  allFound: ["finder"] as const,
  finder: (term: string) => ["finder", term] as const,
  allMentions: ["mentions"] as const,
  /** `unread` is the number of unread mentions at the time of the request. */
  mentions: (unread: number) => ["mentions", unread] as const,
  searches: ["search"] as const,
  search: (term: string) => ["search", term] as const,
  recentSearches: ["recent-search"] as const,
  recentSearch: (term: string) => ["recent-search", term] as const,
};
