import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import { queryKeys } from "#app/(demo)/_chat/data/cache.ts";
import { openingAt } from "#app/(demo)/_chat/data/opening-paths.ts";
import { readEarly } from "#app/(demo)/_chat/data/read-early.ts";
import { EARLY_ANSWERS } from "#app/(demo)/_session/early-answers.ts";
import { onTheWire } from "#tests/harness/on-the-wire.ts";
import { samplePost } from "#tests/harness/sample-post.ts";

const channelId = "c".repeat(26);
const location = { pathname: `/chat/${channelId}`, search: "" };
const [, list = "", messages = ""] = openingAt(location.pathname, location.search).paths;
const answers = {
  [list]: { channels: [{ id: channelId, messageCount: 30, lastViewedAt: 500 }] },
  [messages]: { posts: [samplePost("seen", { createAt: 400 })], users: {}, hasMore: false },
};

afterEach(() => vi.unstubAllGlobals());

it("fills the cache with the early answers for channels and messages before the chat renders", async () => {
  const early = Object.entries(answers).map(([path, body]) => [
    path,
    Promise.resolve(Response.json(onTheWire(body))),
  ]);
  vi.stubGlobal("window", { location });
  vi.stubGlobal(EARLY_ANSWERS, Object.fromEntries(early));
  vi.stubGlobal("fetch", () => Promise.reject(new Error("nothing is asked twice")));
  const cache = new QueryClient();
  await readEarly(cache);
  expect(cache.getQueryData(queryKeys.channels)).toEqual(answers[list]?.channels);
  expect(cache.getQueryData(queryKeys.timeline(channelId, "latest"))).toMatchObject({
    pages: [{ posts: [{ id: "seen" }] }],
  });
});

it("sends no request if there are no early answers", async () => {
  const fetch = vi.fn();
  vi.stubGlobal("window", { location });
  vi.stubGlobal("fetch", fetch);
  await readEarly(new QueryClient());
  expect(fetch).not.toHaveBeenCalled();
});
