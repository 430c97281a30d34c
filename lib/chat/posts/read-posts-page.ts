import { allInOrder } from "../../async/concurrency.ts";
import { deriveOnce } from "../../async/derive-once.ts";
import { writtenOnce } from "../../async/json-text.ts";
import type { PostsPage, User as PublicUser } from "../../contract/answers.ts";
import { CodedError } from "../../errors.ts";
import { readChannel } from "../../mattermost/channels.ts";
import { notFoundIfForbidden } from "../../mattermost/exchange.ts";
import { listPosts, listRoots, type Post, type PostList, readPost } from "../../mattermost/posts.ts";
import { readThread } from "../../mattermost/threads.ts";
import { readUsers, type User } from "../../mattermost/users.ts";
import { rememberChannels, rememberPosts, rememberUsers } from "../caller/caches.ts";
import type { CallerContext } from "../caller/caller-context.ts";
import { partnerIdOf } from "../channels/direct-partner.ts";
import { beginMembership } from "../channels/read-membership.ts";
import { projectUser, projectUsers } from "../people/search-users.ts";
import { canModerate, communityOf } from "./moderators.ts";
import { projectPost, requirePost, usersOf } from "./post.ts";

const MAX_USERS = 1000;

/** Reads a page of a channel with everything needed to display it, in two rounds of Mattermost calls. */
export async function readPostsPage(
  context: CallerContext,
  channelId: string,
  wanted: WantedPosts,
): Promise<PostsPage> {
  const { caller, chat } = context;
  const [channel, begun, { posts, hasMore, next }] = await allInOrder([
    readChannel(caller, channelId),
    beginMembership(context, channelId),
    fetchPosts(context, channelId, wanted),
  ]);
  rememberChannels(chat.caches, [channel]);
  rememberPosts(chat.caches, posts);
  const { ownId } = begun;
  const partnerId = ownId === undefined ? null : partnerIdOf(channel, ownId);
  const first = [ownId, partnerId].filter((id) => typeof id === "string");
  // In one order, so that everyone who is on the page asks the same.
  const ids = [...new Set([...first, ...idsShown(posts)])].slice(0, MAX_USERS).sort();
  const community = communityOf(channel, chat.teamId);
  const [{ member, memberCount }, asked, answered, mayModerate] = await Promise.all([
    begun.finish(),
    readUsers(caller, ids),
    readAnswered(context, channelId, posts, next),
    community !== null && ownId !== undefined && canModerate(chat, community, ownId),
  ]);
  const shown =
    answered.length === 0 ? asked : [...asked, ...answered.flatMap(({ participants }) => participants)];
  rememberUsers(chat.caches, shown);
  const users = projectUsersOnce(shown);
  return {
    posts: projectPosts(posts, answered, users),
    users,
    channel:
      partnerId === null ? writtenOnce(channel) : { ...channel, directUser: partnerIn(shown, partnerId) },
    member,
    community,
    canModerate: mayModerate,
    hasMore,
    ...(memberCount !== undefined && { memberCount }),
  };
}

/** Projects posts, with the later replies to some of them. */
function projectPosts(
  posts: Post[],
  answered: readonly Answered[],
  users: Readonly<Record<string, PublicUser>>,
): Post[] {
  if (answered.length === 0 && !showParticipants(posts)) return projectOnce(posts);
  return posts.map((post) => {
    const later = answered.find(({ id }) => id === post.id);
    return projectPost(later ? { ...post, ...later } : post, users);
  });
}

// A page whose answer repeats consists of the same posts, and for those who are on it of the same users, so each of these
// is done once for all of them.
const idsShown = deriveOnce((posts: readonly Post[]) => [...new Set(posts.flatMap(usersOf))]);
const showParticipants = deriveOnce((posts: readonly Post[]) => posts.some((post) => post.participants));
const projectUsersOnce = deriveOnce((users: readonly User[]) => writtenOnce(projectUsers(users)));
const projectOnce = deriveOnce((posts: readonly Post[]) =>
  writtenOnce(posts.map((post) => projectPost(post))),
);

/** Returns the repliers and the time of the last reply of posts with replies beyond the page. */
async function readAnswered(
  { caller }: CallerContext,
  channelId: string,
  posts: readonly Post[],
  next: string,
): Promise<Answered[]> {
  if (next === "") return [];
  const repliesTo = (id: string) => posts.filter(({ root_id }) => root_id === id).length;
  const isAnsweredLater = ({ id, root_id, reply_count }: Post) =>
    root_id === "" && reply_count > repliesTo(id);
  const first = posts.findIndex(isAnsweredLater);
  if (first === -1) return [];
  const perPage = posts.slice(first).filter(({ root_id }) => root_id === "").length;
  const later = new Set(posts.filter(isAnsweredLater).map(({ id }) => id));
  return (await listRoots(caller, channelId, { perPage, before: next })).filter(({ id }) => later.has(id));
}

/** Returns the partner in a direct channel, marked if deactivated; null if unknown. */
function partnerIn(users: readonly User[], id: string): PostsPage["channel"]["directUser"] {
  const partner = users.find((user) => user.id === id);
  if (!partner) return null;
  return { ...projectUser(partner), ...(partner.delete_at > 0 && { is_deactivated: true }) };
}

type Answered = Awaited<ReturnType<typeof listRoots>>[number];

/** Selects posts of a channel: the latest, those just before or after a post, those around it, or a whole thread. */
type WantedPosts = {
  perPage: number;
  before?: string | undefined;
  after?: string | undefined;
  around?: string | undefined;
  thread?: string | undefined;
};

/** `next` is the id of the following post, empty if there is none. */
type Fetched = { posts: Post[]; hasMore: boolean; next: string };

/**
 * Fetches posts, oldest first. `hasMore` is true if there are older ones (with `after`, newer ones). @throws
 * CodedError `not_found`
 */
async function fetchPosts(context: CallerContext, channelId: string, wanted: WantedPosts): Promise<Fetched> {
  const { perPage, before, after, around, thread } = wanted;
  if (thread !== undefined) return fetchThread(context, channelId, thread);
  if (around !== undefined) return fetchAround(context, channelId, around, perPage);
  const anchor = before ?? after;
  const page =
    before !== undefined ? { before } : after !== undefined ? { after } : { latest: true as const };
  const [, list] = await allInOrder([
    anchor === undefined ? Promise.resolve() : requirePost(context, channelId, anchor),
    listPosts(context.caller, channelId, { perPage, ...page }),
  ]);
  const isMore = after === undefined ? list.prev_post_id !== "" : list.next_post_id !== "";
  return { posts: postsOfPage(list), hasMore: isMore, next: before ?? list.next_post_id };
}

async function fetchAround(
  { caller }: CallerContext,
  channelId: string,
  postId: string,
  perPage: number,
): Promise<Fetched> {
  const half = Math.max(1, Math.floor(perPage / 2));
  const [post, older, newer] = await allInOrder([
    notFoundIfForbidden(readPost(caller, postId)),
    listPosts(caller, channelId, { perPage: half, before: postId }),
    listPosts(caller, channelId, { perPage: half, after: postId }),
  ]);
  if (post.channel_id !== channelId) throw new CodedError("not_found");
  const posts = [...inOrder(older.order, older), post, ...inOrder(newer.order, newer)];
  return { posts, hasMore: older.prev_post_id !== "", next: newer.next_post_id };
}

async function fetchThread({ caller }: CallerContext, channelId: string, rootId: string): Promise<Fetched> {
  const list = await notFoundIfForbidden(readThread(caller, rootId));
  const root = list.posts[rootId];
  if (!root || root.channel_id !== channelId || root.root_id !== "") throw new CodedError("not_found");
  return { posts: inOrder(Object.keys(list.posts), list), hasMore: false, next: "" };
}

const postsOfPage = deriveOnce((list: PostList) => inOrder(list.order, list));

/** Returns the listed posts, oldest first, without thread roots of other pages, which the answer contains too. */
function inOrder(ids: readonly string[], { posts }: PostList): Post[] {
  const named = [...new Set(ids)].reverse().flatMap((id) => posts[id] ?? []);
  return named.filter(({ delete_at }) => delete_at === 0).sort((a, b) => a.create_at - b.create_at);
}
