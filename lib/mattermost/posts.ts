import { z } from "zod";
import { notFoundIfForbidden } from "./exchange.ts";
import { Done, type MattermostCaller, path } from "./mattermost.ts";
import { Reaction } from "./reactions.ts";
import { User } from "./users.ts";

/** @throws CodedError `not_found`, `forbidden` */
export function readPost(caller: MattermostCaller, postId: string): Promise<Post> {
  return caller.call("GET", path`/posts/${postId}`, Post);
}

type Page = { perPage: number } & ({ before: string } | { after: string } | { latest: true });

/**
 * Lists a page of a channel: its latest posts, or those just before or after a post. Threads are left out,
 * because with them the latest posts would lack their numbers of replies.
 */
export function listPosts(caller: MattermostCaller, channelId: string, page: Page): Promise<PostList> {
  const query = new URLSearchParams({ page: "0", per_page: String(page.perPage), skipFetchThreads: "true" });
  if ("before" in page) query.set("before", page.before);
  if ("after" in page) query.set("after", page.after);
  return caller.read(`${path`/channels/${channelId}/posts`}?${query}`, PostList);
}

/**
 * Lists the root posts just before a post. Only this call returns who replied, in the order of their last
 * replies, and when the last reply came.
 */
export async function listRoots(
  caller: MattermostCaller,
  channelId: string,
  { perPage, before }: { perPage: number; before: string },
): Promise<Root[]> {
  const query = new URLSearchParams({
    page: "0",
    per_page: String(perPage),
    before,
    collapsedThreads: "true",
    collapsedThreadsExtended: "true",
  });
  const roots = await caller.call("GET", `${path`/channels/${channelId}/posts`}?${query}`, Roots);
  return Object.values(roots.posts ?? {});
}

/** Posts a message, as a reply if `root_id` is given. */
export function createPost(
  caller: MattermostCaller,
  post: {
    channel_id: string;
    message: string;
    type?: "me";
    root_id?: string;
    pending_post_id?: string;
    file_ids?: readonly string[];
  },
): Promise<Post> {
  return caller.call("POST", "/posts", Post, post);
}

/** Changes the message of a post. */
export function editPost(caller: MattermostCaller, postId: string, message: string): Promise<Post> {
  return caller.call("PUT", path`/posts/${postId}/patch`, Post, { message });
}

/** Lists all pinned posts of a channel, oldest first. */
export function listPinned(caller: MattermostCaller, channelId: string): Promise<PostList> {
  return caller.call("GET", path`/channels/${channelId}/pinned`, PostList);
}

/** Pins or unpins a post; repeating it has no effect. */
export async function pinPost(caller: MattermostCaller, postId: string, isPinned: boolean): Promise<void> {
  await caller.call("POST", isPinned ? path`/posts/${postId}/pin` : path`/posts/${postId}/unpin`, Done);
}

/** Deletes a post and, if it is a root, all its replies. */
export async function deletePost(caller: MattermostCaller, postId: string): Promise<void> {
  await caller.call("DELETE", path`/posts/${postId}`, Done);
}

/**
 * Marks a channel as unread from a post on; `keepsThreads` counts replies only in their threads.
 * @throws CodedError `not_found`, including for non-members
 */
export async function unreadFromPost(
  caller: MattermostCaller,
  postId: string,
  keepsThreads: boolean,
): Promise<void> {
  const marking = path`/users/me/posts/${postId}/set_unread`;
  const counted = z.object({ channel_id: z.string() });
  await notFoundIfForbidden(
    caller.call("POST", marking, counted, { collapsed_threads_supported: keepsThreads }),
  );
}

/**
 * Finds posts of the caller's channels in a team that match, or with `isAny` have one of the words, newest first, up to
 * `limit`.
 */
export function findPosts(
  caller: MattermostCaller,
  teamId: string,
  terms: string,
  limit: number,
  isAny = false,
): Promise<PostList> {
  const search = { terms, is_or_search: isAny, page: 0, per_page: limit };
  return caller.call("POST", path`/teams/${teamId}/posts/search`, PostList, search);
}

/** A post; unused fields pass through. */
export const Post = z.looseObject({
  id: z.string(),
  channel_id: z.string(),
  user_id: z.string(),
  root_id: z.string(),
  message: z.string(),
  type: z.string().default(""),
  create_at: z.number(),
  update_at: z.number().default(0),
  edit_at: z.number().default(0),
  delete_at: z.number().default(0),
  reply_count: z.number().default(0),
  participants: z.array(z.looseObject({ id: z.string() })).nullish(),
  metadata: z.looseObject({ reactions: z.array(Reaction).nullish() }).nullish(),
});
export type Post = z.infer<typeof Post>;

/** `posts` can hold more posts than `order`, and `order` can hold the same id twice. */
export const PostList = z.object({
  order: z
    .array(z.string())
    .nullable()
    .transform((ids) => ids ?? []),
  posts: z
    .record(z.string(), Post)
    .nullable()
    .transform((posts) => posts ?? {}),
  next_post_id: z.string().default(""),
  prev_post_id: z.string().default(""),
});
export type PostList = z.infer<typeof PostList>;

const Root = z.object({
  id: z.string(),
  last_reply_at: z.number().default(0),
  participants: z
    .array(User)
    .nullish()
    .transform((users) => users ?? []),
});
type Root = z.infer<typeof Root>;

const Roots = z.object({ posts: z.record(z.string(), Root).nullable() });
