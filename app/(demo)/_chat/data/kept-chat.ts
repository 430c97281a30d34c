import type { QueryClient, QueryKey } from "@tanstack/react-query";
import type { Me } from "#lib/chat-client/index.ts";
import { onLeaving } from "../../_session/gateway.ts";
import { keepChat, readKeptChat } from "../../_session/kept-chat.ts";
import { queryKeys, rememberUsers } from "./cache.ts";
import type { Channel } from "./model.ts";
import { postsOf, SMALLEST_PAGE, type Timeline, type TimelinePage } from "./timeline-pages.ts";

/** The user, their channels, and the last messages of those that were read last, latest first. */
type KeptChat = { me: Me; channels: Channel[]; pages: Array<[channelId: string, page: TimelinePage]> };

const MOST_CHANNELS = 20;
/** The first page of an answer holds them and some new ones. */
const MOST_POSTS = SMALLEST_PAGE - 10;
const MOST_CHARACTERS = 1_000_000;
const KEEP_AFTER_MS = 1_000;

/**
 * Shows what this device keeps of the chat until the answers are there, and keeps what they bring: at most 20 channels,
 * 30 messages each, and a million characters. Ends with the call of what is returned.
 */
export function followKeptChat(cache: QueryClient): () => void {
  const pages = new Map<string, TimelinePage>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;

  const keep = () => {
    clearTimeout(timer);
    timer = undefined;
    const me = freshOf<Me>(cache, queryKeys.me);
    const channels = freshOf<Channel[]>(cache, queryKeys.channels);
    if (!me || !channels || isOver) return;
    for (const [[, channelId], timeline] of cache.getQueriesData<Timeline>({
      queryKey: queryKeys.timelines,
    })) {
      const latest = timeline?.pages.at(-1);
      if (!timeline || !latest || latest.isKept || latest.hasNewer) continue;
      pages.delete(String(channelId));
      pages.set(String(channelId), lastOf(timeline, latest));
    }
    const ids = new Set(channels.map(({ id }) => id));
    const kept = [...pages].filter(([id]) => ids.has(id)).reverse();
    void keepChat(me.user.username, withinBounds({ me, channels, pages: kept.slice(0, MOST_CHANNELS) }));
  };
  const stop = cache.getQueryCache().subscribe(({ type, query }) => {
    const isKept = ["me", "channels", "timeline"].includes(String(query.queryKey[0]));
    if (type === "updated" && isKept) timer ??= setTimeout(keep, KEEP_AFTER_MS);
  });
  void readKeptChat().then((value) => {
    const kept = value as KeptChat | null;
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
  });
  const stopLeaving = onLeaving(() => pages.clear());
  return () => {
    isOver = true;
    stopLeaving();
    clearTimeout(timer);
    stop();
  };
}

/** Shows a value where no answer is there yet; the answer is asked for nevertheless. */
function show(cache: QueryClient, queryKey: QueryKey, value: unknown): void {
  if (cache.getQueryData(queryKey) !== undefined) return;
  cache.setQueryData(queryKey, value);
  void cache.invalidateQueries({ queryKey, exact: true, refetchType: "none" });
}

/** What the gateway has answered, unless it was told since that it is not so any more. */
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
