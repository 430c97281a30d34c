import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { ChatError, type Me } from "#lib/chat-client/index.ts";
import { eraseKeptChat } from "../../_session/erase-kept-chat.ts";
import { channelOfLook, keepChat, keepLook, readKeptChat } from "../../_session/kept-chat.ts";
import { onLeaving } from "../../_session/person.ts";
import { queryKeys, rememberUsers } from "./cache.ts";
import type { Channel } from "./model.ts";
import { shownLook } from "./shown-look.ts";
import { postsOf, SMALLEST_PAGE, type Timeline, type TimelinePage } from "./timeline-pages.ts";

/** The user, their channels, and the last messages of the most recently read channels. */
type KeptChat = { me: Me; channels: Channel[]; pages: Array<[channelId: string, page: TimelinePage]> };

const MOST_CHANNELS = 20;
/**
 * Maximum number of stored messages per channel: the first page of an answer contains all of them and some
 * new ones.
 */
const MOST_POSTS = SMALLEST_PAGE - 10;
const MOST_CHARACTERS = 1_000_000;
const KEEP_AFTER_MS = 1_000;

/**
 * Shows data stored on this device until the answers arrive, and stores new answers: up to 20 channels, 30
 * messages each, and a million characters. Call the returned function to stop.
 */
export function followKeptChat(cache: QueryClient): () => void {
  const pages = new Map<string, TimelinePage>();
  /** Channels whose messages changed since the last write. */
  const changed = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  let turn: Promise<unknown> = Promise.resolve();

  /** Runs actions one after the other, so that nothing is written after the chat was erased. */
  const inTurn = (act: () => Promise<void>) => {
    turn = turn.then(act, act);
  };

  const keep = async () => {
    const me = freshOf<Me>(cache, queryKeys.me);
    const channels = freshOf<Channel[]>(cache, queryKeys.channels);
    if (!me || !channels || isOver) return;
    const ids = new Set(channels.map(({ id }) => id));
    for (const [[, name], timeline] of cache.getQueriesData<Timeline>({ queryKey: queryKeys.timelines })) {
      const channelId = String(name);
      const latest = timeline?.pages.at(-1);
      if (!timeline || !latest || latest.isKept || latest.hasNewer) continue;
      if (!ids.has(channelId) || isRefusedIn(cache, channelId)) continue;
      pages.delete(channelId);
      pages.set(channelId, lastOf(timeline, latest));
    }
    const kept = [...pages].reverse().slice(0, MOST_CHANNELS);
    await keepChat(me.user.username, withinBounds({ me, channels, pages: kept }));
    if (!isOver) keepShown(me.user.username);
  };
  /** Stores the look of the channel on the screen, and removes an outdated one. */
  const keepShown = (person: string) => {
    const look = shownLook();
    const isOld = changed.has(channelOfLook() ?? "");
    changed.clear();
    if (look && pages.has(look.channelId)) keepLook(person, look);
    else if (isOld) keepLook(person, null);
  };
  const keepSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      inTurn(keep);
    }, KEEP_AFTER_MS);
  };
  /**
   * Erases the stored chat immediately if the reader has lost a channel. The other channels are stored again
   * soon.
   */
  const forgetLost = () => {
    const channels = cache.getQueryData<Channel[]>(queryKeys.channels);
    const isListRead = channels !== undefined && !channels.some(({ isKept }) => isKept);
    const isLost = (id: string) =>
      isRefusedIn(cache, id) || (isListRead && !channels.some((channel) => channel.id === id));
    const lost = [...pages.keys()].filter(isLost);
    if (lost.length === 0) return;
    for (const id of lost) pages.delete(id);
    inTurn(eraseKeptChat);
    keepSoon();
  };
  const stop = cache.getQueryCache().subscribe(({ type, query }) => {
    const [kind] = query.queryKey;
    if (type !== "updated" || !["me", "channels", "timeline"].includes(String(kind))) return;
    if (kind === "timeline") changed.add(String(query.queryKey[1]));
    if (kind !== "me") forgetLost();
    keepSoon();
  });
  // Answers and refusals may arrive before the stored data.
  inTurn(async () => {
    const kept = (await readKeptChat()) as KeptChat | null;
    if (!kept || isOver) return;
    for (const [id, page] of kept.pages.toReversed()) {
      pages.set(id, page);
      const timeline: Timeline = { pages: [{ ...page, isKept: true }], pageParams: [{}] };
      rememberUsers(cache, Object.values(page.users));
      show(cache, queryKeys.timeline(id, "latest"), timeline);
    }
    show(
      cache,
      queryKeys.channels,
      kept.channels.map((channel) => ({ ...channel, isKept: true })),
    );
    show(cache, queryKeys.me, kept.me);
    forgetLost();
  });
  const stopLeaving = onLeaving(() => pages.clear());
  return () => {
    isOver = true;
    stopLeaving();
    clearTimeout(timer);
    stop();
  };
}

const isRefusal = (error: unknown) => error instanceof ChatError && [401, 403, 404].includes(error.status);

/** Returns whether the gateway refuses to show the reader a channel's latest messages. */
const isRefusedIn = (cache: QueryClient, channelId: string): boolean =>
  isRefusal(cache.getQueryState(queryKeys.timeline(channelId, "latest"))?.error);

/** Shows a stored value if there is neither an answer nor a refusal. The answer is still requested. */
function show(cache: QueryClient, queryKey: QueryKey, value: unknown): void {
  const state = cache.getQueryState(queryKey);
  if (state?.data !== undefined || isRefusal(state?.error)) return;
  cache.setQueryData(queryKey, value);
  void cache.invalidateQueries({ queryKey, exact: true, refetchType: "none" });
}

/** Returns the gateway's answer, unless it has been marked as outdated. */
function freshOf<T>(cache: QueryClient, queryKey: QueryKey): T | undefined {
  const state = cache.getQueryState<T>(queryKey);
  return state?.isInvalidated || state?.status !== "success" ? undefined : state.data;
}

function lastOf(timeline: Timeline, latest: TimelinePage): TimelinePage {
  const all = postsOf(timeline);
  const posts = all.slice(-MOST_POSTS);
  const users = Object.assign({}, ...timeline.pages.map((page) => page.users));
  const first = timeline.pages[0] ?? latest;
  return { ...latest, posts, users, hasOlder: first.hasOlder || posts.length < all.length };
}

function withinBounds(chat: KeptChat): KeptChat {
  let characters = JSON.stringify({ ...chat, pages: [] }).length;
  const pages = chat.pages.filter((page) => {
    characters += JSON.stringify(page).length;
    return characters <= MOST_CHARACTERS;
  });
  return { ...chat, pages };
}
