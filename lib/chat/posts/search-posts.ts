import type { FoundPosts } from "../../contract/answers.ts";
import { MOST_POSTS_FOUND } from "../../contract/limits.ts";
import { listOwnChannels } from "../../mattermost/channels.ts";
import { findPosts, type Post, type PostList } from "../../mattermost/posts.ts";
import { readOwnNames, readUsers } from "../../mattermost/users.ts";
import { believeEmpty } from "../access/explain-failure.ts";
import { partnerIdOf } from "../channels/open-direct.ts";
import { projectUsers } from "../people/search-users.ts";
import { type ChannelBasics, rememberChannels, rememberPosts } from "../session/gateway.ts";
import { readOwnId, type Session } from "../session/session.ts";
import { projectPost, usersOf } from "./post.ts";

type Wanted = { page: number; perPage: number };

/** Messages in the caller's channels that match, newest first, at most 100 over all pages. */
export async function searchPosts(
  session: Session,
  { term, ...wanted }: Wanted & { term: string },
): Promise<FoundPosts> {
  const { caller, gateway } = session;
  const list = await findPosts(caller, gateway.teamId, term, MOST_POSTS_FOUND);
  return showFound(session, await postsIn(session, [list]), wanted);
}

/**
 * What others wrote that names the caller, newest first: as far as Mattermost's search finds it, which knows words and
 * no mentions. English databases keep "all" and "here" only for a phrase that stands alone, and not at all before a server
 * as old as 7.0.
 */
export async function findMentions(session: Session, wanted: Wanted): Promise<FoundPosts> {
  const { caller, gateway } = session;
  const me = await readOwnNames(caller);
  const { mention_keys, first_name, channel } = me.notify_props;
  const isCalledByAll = channel !== "false";
  const words = [
    ...mention_keys.split(",").map((key) => key.trim().replaceAll('"', "")),
    ...(first_name === "true" ? [me.first_name] : []),
  ].filter((word) => word !== "");
  const names = [me.username, ...(isCalledByAll ? ["channel", "all", "here"] : [])];
  const asked = [
    [me.username, ...words.map((word) => `"${word}"`), ...(isCalledByAll ? ["channel"] : [])].join(" "),
    ...(isCalledByAll ? ['"@all"', '"@here"'] : []),
  ];
  const lists = await Promise.all(
    asked.map((terms) =>
      findPosts(caller, gateway.teamId, `${terms} -from:${me.username}`, MOST_POSTS_FOUND, true),
    ),
  );
  const isMeant = mentionTest(names, words);
  const found = await postsIn(session, lists);
  return showFound(
    session,
    found.filter(({ message }) => isMeant(message)),
    wanted,
  );
}

const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;
const quote = (word: string) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Tells of a message whether it has one of the names behind an `@`, or one of the words, outside of code. */
function mentionTest(names: readonly string[], words: readonly string[]): (message: string) => boolean {
  const named = `@(?:${names.map(quote).join("|")})(?![\\w-]|\\.\\w)`;
  const meant = [named, ...words.map((word) => `${quote(word)}(?![\\p{L}\\p{N}_])`)].join("|");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_@./-])(?:${meant})`, "iu");
  return (message) => pattern.test(message.replaceAll(CODE, " "));
}

/** What searches found, each post once. */
async function postsIn({ gateway }: Session, lists: readonly PostList[]): Promise<Post[]> {
  const found = lists.flatMap(({ order, posts }) => order.flatMap((id) => posts[id] ?? []));
  if (found.length === 0) await believeEmpty(gateway);
  return [...new Map(found.map((post) => [post.id, post])).values()];
}

async function showFound(
  session: Session,
  found: readonly Post[],
  { page, perPage }: Wanted,
): Promise<FoundPosts> {
  const { caller, gateway } = session;
  const start = page * perPage;
  const newest = found.toSorted((a, b) => b.create_at - a.create_at).slice(0, MOST_POSTS_FOUND);
  const posts = newest.slice(start, start + perPage);
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

/** The channels that posts of the caller's are in. */
export async function readChannelsOf(
  { caller, gateway }: Session,
  posts: readonly Post[],
): Promise<ChannelBasics[]> {
  const { caches, teamId } = gateway;
  const ids = [...new Set(posts.map(({ channel_id }) => channel_id))];
  if (ids.some((id) => !caches.channels.get(id)))
    rememberChannels(caches, await listOwnChannels(caller, teamId));
  return ids.flatMap((id) => caches.channels.get(id) ?? []);
}
