import type { QueryClient } from "@tanstack/react-query";
import type { Channel, Post, User } from "./model.ts";
import { queryKeys } from "./query-keys.ts";
import { appendPost, type Timeline, updatePost } from "./timeline.ts";

/** Changes one post in every timeline and thread that shows it. */
export function changePost(cache: QueryClient, postId: string, change: (post: Post) => Post): void {
  cache.setQueriesData<Timeline>(
    { queryKey: queryKeys.timelines },
    (timeline) => timeline && updatePost(timeline, postId, change),
  );
  cache.setQueriesData<Post[]>({ queryKey: queryKeys.threads }, (posts) =>
    posts?.map((post) => (post.id === postId ? change(post) : post)),
  );
}

/** Puts a new post where it belongs: its channel's timelines, its thread, and its root's reply count. */
export function addPost(cache: QueryClient, post: Post): void {
  cache.setQueriesData<Timeline>(
    { queryKey: queryKeys.timelinesOf(post.channel_id) },
    (timeline) => timeline && appendPost(timeline, post),
  );
  if (post.root_id === "") return;
  const thread = cache.getQueryData<Post[]>(queryKeys.thread(post.root_id));
  const isKnown = thread?.some(({ id }) => id === post.id) ?? false;
  cache.setQueryData<Post[]>(queryKeys.thread(post.root_id), (posts) =>
    posts?.some(({ id }) => id === post.id) ? posts : posts && [...posts, post],
  );
  if (!isKnown)
    changePost(cache, post.root_id, (root) => ({
      ...root,
      reply_count: Math.max(root.reply_count ?? 0, post.reply_count ?? 0, (root.reply_count ?? 0) + 1),
    }));
}

export function changeChannel(
  cache: QueryClient,
  channelId: string,
  change: (channel: Channel) => Channel,
): void {
  cache.setQueryData<Channel[]>(queryKeys.channels, (channels) =>
    channels?.map((channel) => (channel.id === channelId ? change(channel) : channel)),
  );
}

/** Remembers people met in any answer; a map by user id. */
export function rememberUsers(cache: QueryClient, users: Iterable<User>): void {
  cache.setQueryData<Record<string, User>>(queryKeys.users, (known) => ({
    ...known,
    ...Object.fromEntries([...users].map((user) => [user.id, user])),
  }));
}
