import type { FoundPosts } from "../../contract/answers.ts";
import { MOST_POSTS_FOUND } from "../../contract/limits.ts";
import { listOwnChannels } from "../../mattermost/channels.ts";
import { findPosts, type Post, type PostList } from "../../mattermost/posts.ts";
import { readUsers } from "../../mattermost/users.ts";
import { believeEmpty } from "../access/explain-failure.ts";
import { type ChannelBasics, rememberChannels, rememberPosts } from "../caller/caches.ts";
import { type CallerContext, readOwnId } from "../caller/caller-context.ts";
import { partnerIdOf } from "../channels/direct-partner.ts";
import { projectUsers } from "../people/search-users.ts";
import { projectPost, usersOf } from "./post.ts";

/** A page of results, counted from 0. */
export type Wanted = { page: number; perPage: number };

/**
 * Searches messages in the caller's channels, newest first. All pages together hold as many as Mattermost
 * returns for one search.
 */
export async function searchPosts(
  context: CallerContext,
  { term, ...wanted }: Wanted & { term: string },
): Promise<FoundPosts> {
  const { caller, chat } = context;
  const list = await findPosts(caller, chat.teamId, term, MOST_POSTS_FOUND);
  return showFound(context, postsIn(list), wanted);
}

/** Returns the posts of a search result, each once. */
export function postsIn({ order, posts }: PostList): Post[] {
  return [...new Set(order)].flatMap((id) => posts[id] ?? []);
}

/** Returns a page of posts from the caller's channels, newest first, with everything needed to display them. */
export async function showFound(
  context: CallerContext,
  found: readonly Post[],
  { page, perPage }: Wanted,
): Promise<FoundPosts> {
  const { caller, chat } = context;
  if (found.length === 0) await believeEmpty(chat);
  const start = page * perPage;
  const newest = found.toSorted((a, b) => b.create_at - a.create_at);
  const posts = newest.slice(start, start + perPage);
  if (posts.length === 0) return { posts: [], users: {}, channels: {} };
  rememberPosts(chat.caches, posts);
  const channels = await readChannelsOf(context, posts);
  const ownId = channels.some(({ type }) => type === "D") ? await readOwnId(context) : "";
  const partners = channels.flatMap((channel) => partnerIdOf(channel, ownId) ?? []);
  const users = projectUsers(await readUsers(caller, [...new Set([...posts.flatMap(usersOf), ...partners])]));
  return {
    posts: posts.map((post) => projectPost(post, users)),
    users,
    channels: Object.fromEntries(channels.map((channel) => [channel.id, channel])),
  };
}

/**
 * Returns the channels of posts that the caller can read; the channels are read again if a title may be out
 * of date.
 */
export async function readChannelsOf(
  { caller, chat }: CallerContext,
  posts: readonly Post[],
): Promise<ChannelBasics[]> {
  const { caches, teamId } = chat;
  const ids = [...new Set(posts.map(({ channel_id }) => channel_id))];
  if (ids.some((id) => !caches.channels.get(id) || !caches.freshTitles.get(id)))
    rememberChannels(caches, await listOwnChannels(caller, teamId));
  return ids.flatMap((id) => caches.channels.get(id) ?? []);
}
