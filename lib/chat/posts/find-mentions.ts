import { forEachWithConcurrency } from "../../async/concurrency.ts";
import type { FoundPosts } from "../../contract/answers.ts";
import { MOST_POSTS_FOUND } from "../../contract/limits.ts";
import { type Channel, type ChannelMember, listOwnChannels } from "../../mattermost/channels.ts";
import { findPosts, listPosts, type Post } from "../../mattermost/posts.ts";
import { listUnreadThreads, readThread } from "../../mattermost/threads.ts";
import { readOwnNames } from "../../mattermost/users.ts";
import { textsForMentions, wordsForMentions } from "../../mention-words.ts";
import { nullIfGone } from "../access/explain-failure.ts";
import { rememberChannels } from "../caller/caches.ts";
import type { CallerContext } from "../caller/caller-context.ts";
import { collapsesThreads } from "../channels/channel-settings.ts";
import { listMemberships } from "../channels/list-memberships.ts";
import { countUnread, MOST_THREADS } from "../channels/unread.ts";
import { postsIn, showFound, type Wanted } from "./search-posts.ts";

/**
 * Finds messages of others that mention the caller, newest first. Unread mentions come from Mattermost's own
 * counts and are complete. Read ones come from its search, which finds words rather than mentions. English
 * databases do not index "all" and "here", so read mentions of everyone are found only in recent messages.
 */
export async function findMentions(context: CallerContext, wanted: Wanted): Promise<FoundPosts> {
  const { caller, chat } = context;
  const ownChannels = listOwnChannels(caller, chat.teamId);
  const [me, channels, members, isCollapsed] = await Promise.all([
    readOwnNames(caller),
    ownChannels,
    listMemberships(context, ownChannels),
    collapsesThreads(context),
  ]);
  rememberChannels(chat.caches, channels);
  const { mention_keys, first_name, channel, comments } = me.notify_props;
  const words = [
    ...mention_keys.split(",").map((key) => key.trim().replaceAll('"', "")),
    ...(first_name === "true" ? [me.first_name] : []),
  ].filter((word) => word !== "");
  const callsToAll = channel === "false" ? [] : ["channel", "all", "here"];
  const deaf = new Set(
    members.flatMap(({ channel_id, notify_props }) =>
      notify_props?.ignore_channel_mentions === "on" ? [channel_id] : [],
    ),
  );
  const isMeant: PostTest = (post) => {
    if (post.user_id === me.id) return false;
    const isDeaf = deaf.has(post.channel_id);
    return textsForMentions(post).some((text) => {
      const found = wordsForMentions(text);
      if (found.has(`@${me.username}`) || words.some((word) => isAmong(found, text, word))) return true;
      return !isDeaf && callsToAll.some((name) => found.has(`@${name}`));
    });
  };

  // If threads are separate, Mattermost does not count a reply merely because it is a reply.
  const wantsAnswers = !isCollapsed && (comments === "any" || comments === "root");
  const answersAmong: AnswerFinder = wantsAnswers
    ? createAnswerFinder(context, me.id, comments)
    : async () => [];

  const asked = [
    me.username,
    ...(words.length > 0 ? [words.map((word) => `"${word}"`).join(" ")] : []),
    ...callsToAll.map((name) => `"@${name}"`),
  ];
  const most = (wanted.page + 1) * wanted.perPage;
  const lists = await Promise.all([
    readUnreadMentions(context, { channels, members, isCollapsed, myId: me.id, isMeant, answersAmong }),
    callsToAll.length > 0 || wantsAnswers ? readRecent(context, channels, isMeant, answersAmong) : [],
    ...asked.map((terms) => searchBack(context, `${terms} -from:${me.username}`, isMeant, most)),
  ]);
  const found = new Map(lists.flat().map((post) => [post.id, post]));
  return showFound(context, [...found.values()], wanted);
}

type PostTest = (post: Post) => boolean;
type AnswerFinder = (posts: readonly Post[]) => Promise<Post[]>;

/** Maximum number of threads whose earlier posts are read for the list. */
const MOST_ANSWERED = 40;

/**
 * Finds replies of others that Mattermost counts as mentions merely because they answer the caller: in
 * threads that the caller began (`root`), or had written in before (`any`).
 */
function createAnswerFinder(context: CallerContext, myId: string, comments: "any" | "root"): AnswerFinder {
  const known = new Map<string, Promise<number>>();
  /** Returns the time of the caller's first post that counts in a thread. */
  const beganAt = async (rootId: string) => {
    const mine = (await readThreadPosts(context, rootId)).filter(
      ({ id, user_id, type }) =>
        user_id === myId && !type.startsWith("system_") && (comments === "any" || id === rootId),
    );
    return Math.min(...mine.map(({ create_at }) => create_at));
  };
  return async (posts) => {
    const replies = posts.filter(
      ({ root_id, user_id, delete_at, type }) =>
        root_id !== "" && user_id !== myId && delete_at === 0 && !type.startsWith("system_"),
    );
    const began = new Map<string, number>();
    const roots = [...new Set(replies.map(({ root_id }) => root_id))];
    await forEachWithConcurrency(roots, AT_ONCE, async (rootId) => {
      if (!known.has(rootId) && known.size >= MOST_ANSWERED) return;
      const reading = known.get(rootId) ?? beganAt(rootId);
      known.set(rootId, reading);
      began.set(rootId, await reading);
    });
    return replies.filter(({ root_id, create_at }) => (began.get(root_id) ?? Infinity) < create_at);
  };
}

/** Returns a thread's posts, or none if the thread was deleted or its channel is closed to the caller. */
async function readThreadPosts({ caller, chat }: CallerContext, rootId: string): Promise<Post[]> {
  const thread = await nullIfGone(chat, readThread(caller, rootId));
  return Object.values(thread?.posts ?? {});
}

/** Scripts written without spaces have no words, so any occurrence counts. */
const isAmong = (words: ReadonlySet<string>, text: string, word: string) =>
  words.has(word.toLowerCase()) ||
  (/[^\p{ASCII}]/u.test(word) && text.toLowerCase().includes(word.toLowerCase()));

/** Maximum number of channels and threads to read at once. */
const AT_ONCE = 8;

/** Returns the posts that Mattermost counts as unread mentions in channels and followed threads. */
async function readUnreadMentions(
  context: CallerContext,
  {
    channels,
    members,
    isCollapsed,
    myId,
    isMeant,
    answersAmong,
  }: {
    channels: readonly Channel[];
    members: readonly ChannelMember[];
    isCollapsed: boolean;
    myId: string;
    isMeant: PostTest;
    answersAmong: AnswerFinder;
  },
): Promise<Post[]> {
  const { caller, chat } = context;
  const kinds = new Map(channels.map(({ id, type }) => [id, type]));
  const found: Post[] = [];
  const keep = (unread: readonly Post[], count: number) => {
    const others = unread.filter(
      ({ user_id, type, delete_at }) => user_id !== myId && delete_at === 0 && !type.startsWith("system_"),
    );
    const named = others.filter(isMeant);
    // Newer Mattermost versions count every message of a group conversation as a mention.
    const isCountedWhole = kinds.get(unread[0]?.channel_id ?? "") === "G" && named.length < count;
    found.push(...(isCountedWhole ? others : named));
  };
  const membership = new Map(members.map((member) => [member.channel_id, member]));
  const readings = channels.flatMap((channel) => {
    const member = membership.get(channel.id);
    const count = countUnread(channel, member, isCollapsed).mention_count;
    if (!member || count === 0 || channel.type === "D") return [];
    return [
      async () => {
        const isCounted: PostTest = ({ root_id }) => root_id === "" || !isCollapsed;
        const isEnough = (unread: readonly Post[]) => unread.filter(isMeant).length >= count;
        const unread = await readSince(context, channel.id, member.last_viewed_at, { isCounted, isEnough });
        keep(unread, count);
        found.push(...(await answersAmong(unread)));
      },
    ];
  });
  const threads = isCollapsed ? await listUnreadThreads(caller, chat.teamId, MOST_THREADS) : [];
  const threadReadings = threads.flatMap(({ id, unread_mentions, last_viewed_at, post }) => {
    if (unread_mentions === 0 || kinds.get(post.channel_id) === "D") return [];
    return [
      async () => {
        const replies = await readThreadPosts(context, id);
        const isUnread: PostTest = ({ root_id, create_at }) => root_id !== "" && create_at > last_viewed_at;
        keep(replies.filter(isUnread), unread_mentions);
      },
    ];
  });
  await forEachWithConcurrency([...readings, ...threadReadings], AT_ONCE, (read) => read());
  return found;
}

const RECENT_CHANNELS = 10;
const RECENT_POSTS = 100;

/** Returns the latest posts that pass a test or answer the caller, from the most recently active channels. */
async function readRecent(
  { caller, chat }: CallerContext,
  channels: readonly Channel[],
  isMeant: PostTest,
  answersAmong: AnswerFinder,
): Promise<Post[]> {
  const recent = channels
    .filter(({ type, last_post_at }) => type !== "D" && last_post_at > 0)
    .sort((a, b) => b.last_post_at - a.last_post_at)
    .slice(0, RECENT_CHANNELS);
  const found: Post[] = [];
  await forEachWithConcurrency(recent, AT_ONCE, async ({ id }) => {
    const list = await nullIfGone(chat, listPosts(caller, id, { perPage: RECENT_POSTS, latest: true }));
    const posts = list ? postsIn(list) : [];
    found.push(...posts.filter((post) => post.delete_at === 0 && isMeant(post)));
    found.push(...(await answersAmong(posts)));
  });
  return found;
}

const LARGEST_PAGE = 200;
/** Maximum number of pages to read back in one channel; people find any further mentions in the channel itself. */
const MOST_PAGES = 25;

/**
 * Returns the posts written in a channel after a time (ms) that `isCounted` selects, newest first. Stops
 * reading back once `isEnough` accepts them.
 */
async function readSince(
  { caller, chat }: CallerContext,
  channelId: string,
  since: number,
  { isCounted, isEnough }: { isCounted: PostTest; isEnough: (posts: readonly Post[]) => boolean },
): Promise<Post[]> {
  const unread: Post[] = [];
  let place: { latest: true } | { before: string } = { latest: true };
  for (let read = 0; read < MOST_PAGES; read++) {
    const list = await nullIfGone(chat, listPosts(caller, channelId, { perPage: LARGEST_PAGE, ...place }));
    if (!list) break;
    const posts = postsIn(list);
    unread.push(...posts.filter((post) => post.create_at > since && isCounted(post)));
    const oldest = posts.at(-1);
    if (!oldest || list.prev_post_id === "" || oldest.create_at <= since || isEnough(unread)) break;
    place = { before: oldest.id };
  }
  return unread;
}

const MOST_SEARCHES = 10;
const DAY_MS = 86_400_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/**
 * Returns the newest posts that a search finds and a test accepts, and stops searching back once it has
 * `most` of them. One search returns the newest hundred, and older ones can only be requested by day, so on a
 * day with more than a hundred, the rest is lost.
 */
async function searchBack(
  { caller, chat }: CallerContext,
  terms: string,
  isMeant: PostTest,
  most: number,
): Promise<Post[]> {
  const meant = new Map<string, Post>();
  let bound = "";
  for (let searches = 0; searches < MOST_SEARCHES; searches++) {
    const asked = bound === "" ? terms : `${terms} before:${bound}`;
    const posts = postsIn(await findPosts(caller, chat.teamId, asked, MOST_POSTS_FOUND, true));
    for (const post of posts) if (isMeant(post)) meant.set(post.id, post);
    if (posts.length < MOST_POSTS_FOUND || meant.size >= most) break;
    const oldest = Math.min(...posts.map(({ create_at }) => create_at));
    const dayAfter = dayOf(oldest + DAY_MS);
    bound = dayAfter === bound ? dayOf(oldest) : dayAfter;
  }
  return [...meant.values()];
}
