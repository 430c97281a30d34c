import type { QueryClient } from "@tanstack/react-query";
import { isAskedEarly } from "../../_session/early-answers.ts";
import { openingAt } from "./opening-paths.ts";
import { openingOf } from "./read-latest.ts";
import { channelsQuery } from "./use-channels.ts";
import { timelineQuery } from "./use-timeline.ts";

/**
 * Reads all early answers as soon as they arrive: a page that rendered after each answer would show its first
 * message later.
 */
export async function readEarly(cache: QueryClient): Promise<void> {
  const { channelId, anchor, paths } = openingAt(window.location.pathname, window.location.search);
  if (!paths.some(isAskedEarly)) return;
  const channels = await cache.fetchQuery(channelsQuery(cache)).catch(() => null);
  if (!channels || !channelId) return;
  const opening = openingOf(channels.find(({ id }) => id === channelId));
  await cache.prefetchInfiniteQuery(timelineQuery(cache, channelId, anchor, opening));
}
