import { z } from "zod";
import { Done, type MattermostSession, path } from "./backend.ts";

/** @throws CodedError `not_found`, `forbidden` */
export function readPost(caller: MattermostSession, postId: string): Promise<Post> {
  return caller.call("GET", path`/posts/${postId}`, Post);
}

type Page = { perPage: number } & ({ before: string } | { after: string } | { latest: true });

/**
 * A page of a channel: its latest posts, or those just before or after a post. Threads are not fetched along: only then
 * do the latest posts, too, tell how many replies they have.
 */
export function listPosts(caller: MattermostSession, channelId: string, page: Page): Promise<PostList> {
  const query = new URLSearchParams({ page: "0", per_page: String(page.perPage), skipFetchThreads: "true" });
  if ("before" in page) query.set("before", page.before);
  if ("after" in page) query.set("after", page.after);
  return caller.call("GET", `${path`/channels/${channelId}/posts`}?${query}`, PostList);
}

/** A root post, which tells whether the caller follows it (`is_following`), and all its replies. */
export function readThread(caller: MattermostSession, rootId: string): Promise<PostList> {
  return caller.call("GET", `${path`/posts/${rootId}/thread`}?collapsedThreads=true`, PostList);
}

/** Posts a message, as a reply when `root_id` is given. */
export function createPost(
  caller: MattermostSession,
  post: { channel_id: string; message: string; root_id?: string; pending_post_id?: string },
): Promise<Post> {
  return caller.call("POST", "/posts", Post, post);
}

/** Changes the message of a post. */
export function editPost(caller: MattermostSession, postId: string, message: string): Promise<Post> {
  return caller.call("PUT", path`/posts/${postId}/patch`, Post, { message });
}

/** Deletes a post; a root takes its replies with it. */
export async function deletePost(caller: MattermostSession, postId: string): Promise<void> {
  await caller.call("DELETE", path`/posts/${postId}`, Done);
}

/** Posts of the caller's channels in a team that match, newest first, at most `limit`. */
export function findPosts(
  caller: MattermostSession,
  teamId: string,
  terms: string,
  limit: number,
): Promise<PostList> {
  const search = { terms, is_or_search: false, page: 0, per_page: limit };
  return caller.call("POST", path`/teams/${teamId}/posts/search`, PostList, search);
}

/** A reaction on a post. */
const Reaction = z.looseObject({ user_id: z.string(), emoji_name: z.string() });

/** A post; fields that are not used here pass through. */
export const Post = z.looseObject({
  id: z.string(),
  channel_id: z.string(),
  user_id: z.string(),
  root_id: z.string(),
  message: z.string(),
  create_at: z.number(),
  delete_at: z.number().default(0),
  participants: z.array(z.looseObject({ id: z.string() })).nullish(),
  metadata: z.looseObject({ reactions: z.array(Reaction).nullish() }).nullish(),
});
export type Post = z.infer<typeof Post>;

/** `posts` may hold more than `order`, and `order` the same id twice. */
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

const ReactionsReaction = z.object({ post_id: z.string(), emoji_name: z.string() });

/** Adds the caller's reaction; the same again changes nothing. */
export async function addReaction(
  caller: MattermostSession,
  userId: string,
  postId: string,
  emoji: string,
): Promise<void> {
  const reaction = { user_id: userId, post_id: postId, emoji_name: emoji };
  await caller.call("POST", "/reactions", ReactionsReaction, reaction);
}

/** Takes the caller's reaction back; it need not be there. */
export async function removeReaction(
  caller: MattermostSession,
  postId: string,
  emoji: string,
): Promise<void> {
  await caller.call("DELETE", path`/users/me/posts/${postId}/reactions/${emoji}`, Done);
}
