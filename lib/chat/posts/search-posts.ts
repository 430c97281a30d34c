import { MOST_POSTS_FOUND } from "../../contract/limits.ts";
import { listOwnChannels } from "../../mattermost/channels.ts";
import { findPosts, type Post } from "../../mattermost/posts.ts";
import { readUsers } from "../../mattermost/users.ts";
import { partnerIdOf } from "../channels/open-direct.ts";
import { type PublicUser, projectUsers } from "../people/search-users.ts";
import { type ChannelBasics, rememberChannels, rememberPosts } from "../session/caches.ts";
import { readOwnId, type Session } from "../session/session.ts";
import { projectPost, usersOf } from "./post.ts";

type FoundPosts = {
  posts: Post[];
  users: Record<string, PublicUser>;
  channels: Record<string, ChannelBasics>;
};

/** Messages in the caller's channels that match, newest first, at most 100 over all pages. */
export async function searchPosts(
  session: Session,
  search: { term: string; page: number; perPage: number },
): Promise<FoundPosts> {
  const { caller, gateway } = session;
  const list = await findPosts(caller, gateway.teamId, search.term, MOST_POSTS_FOUND);
  const found = [...new Set(list.order)].flatMap((id) => list.posts[id] ?? []);
  const start = search.page * search.perPage;
  const posts = found.sort((a, b) => b.create_at - a.create_at).slice(start, start + search.perPage);
  if (posts.length === 0) return { posts: [], users: {}, channels: {} };
  rememberPosts(gateway.caches, posts);
  const channels = await readChannelsOf(session, posts);
  const ownId = channels.some(({ type }) => type === "D") ? await readOwnId(session) : "";
  const partners = channels.flatMap((channel) => partnerIdOf(channel, ownId) ?? []);
  const users = projectUsers(await readUsers(caller, [...new Set([...posts.flatMap(usersOf), ...partners])]));
  return {
    posts: posts.map((post) => projectPost(post, users)),
    users,
    channels: Object.fromEntries(channels.map((channel) => [channel.id, channel])),
  };
}

async function readChannelsOf(
  { caller, gateway }: Session,
  posts: readonly Post[],
): Promise<ChannelBasics[]> {
  const { caches, teamId } = gateway;
  const ids = [...new Set(posts.map(({ channel_id }) => channel_id))];
  if (ids.some((id) => !caches.channels.get(id)))
    rememberChannels(caches, await listOwnChannels(caller, teamId));
  return ids.flatMap((id) => caches.channels.get(id) ?? []);
}
