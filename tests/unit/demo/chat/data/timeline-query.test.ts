import { InfiniteQueryObserver, QueryClient } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import { postsOf } from "#app/(demo)/_chat/data/timeline-pages.ts";
import { timelineQuery } from "#app/(demo)/_chat/data/use-timeline.ts";
import { onTheWire } from "#tests/harness/on-the-wire.ts";
import { samplePost } from "#tests/harness/sample-post.ts";

const channelId = "c".repeat(26);
const opening = { unread: 0, lastViewedAt: null };

/** A preparation that ends many turns after the answer has arrived. */
async function prepareSlowly(log: string[]): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  log.push("prepared");
}

/** Answers each request with a post. */
function answerWithPosts(): void {
  vi.stubGlobal("window", { location: { origin: "https://chat.example" } });
  vi.stubGlobal("fetch", async (address: string | URL | Request) => {
    const isOlder = String(address instanceof Request ? address.url : address).includes("before=");
    const posts = [samplePost(isOlder ? "old" : "new", { createAt: isOlder ? 1 : 2 })];
    return Response.json(onTheWire({ posts, users: {}, hasMore: !isOlder }));
  });
}

afterEach(() => vi.unstubAllGlobals());

it("holds older posts of a channel back until they are prepared, but not the latest ones", async () => {
  answerWithPosts();
  const log: string[] = [];
  const prepare = vi.fn(() => prepareSlowly(log));
  const cache = new QueryClient();
  const query = timelineQuery(cache, channelId, null, opening, prepare);
  await cache.fetchInfiniteQuery(query);
  expect(prepare).not.toHaveBeenCalled();
  const observer = new InfiniteQueryObserver(cache, { ...query, staleTime: Number.POSITIVE_INFINITY });
  const { data } = await observer.fetchPreviousPage();
  expect(postsOf(data).map(({ id }) => id)).toEqual(["old", "new"]);
  expect(log).toEqual(["prepared"]);
});
