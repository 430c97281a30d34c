import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryKeys } from "#app/(demo)/_chat/data/cache.ts";
import { followKeptChat } from "#app/(demo)/_chat/data/kept-chat.ts";
import { ChatError } from "#lib/chat-client/index.ts";
import { memoryStorage } from "#tests/harness/memory-storage.ts";
import { samplePost } from "#tests/harness/sample-post.ts";

const me = { user: { id: "me", username: "bob" } };
const pageOf = (channelId: string) => ({
  posts: [samplePost(`post-${channelId}`, { channelId })],
  users: {},
  channel: { id: channelId },
  hasOlder: false,
  hasNewer: false,
});
const kept = {
  version: 2,
  person: "bob",
  value: {
    me,
    channels: [{ id: "open" }, { id: "closed" }],
    pages: ["open", "closed"].map((id) => [id, pageOf(id)]),
  },
};
const refusal = (status: number) => new ChatError({ status, code: "forbidden", message: "refused" });

/** The device's stored chat as text. Reading it waits for `letRead`. */
let stored: string | undefined;
let letRead: () => void;
let stop: (() => void) | undefined;
let cache: QueryClient;

beforeEach(() => {
  vi.useFakeTimers();
  stored = JSON.stringify(kept);
  const isLetRead = new Promise<void>((resolve) => {
    letRead = resolve;
  });
  const opened = {
    match: async () => {
      const text = stored;
      await isLetRead;
      return text === undefined ? undefined : new Response(text);
    },
    put: async (_at: string, response: Response) => {
      stored = await response.text();
    },
  };
  vi.stubGlobal("document", { cookie: "", querySelector: () => null });
  vi.stubGlobal("localStorage", memoryStorage());
  localStorage.setItem("hivegate.person", "bob");
  vi.stubGlobal("caches", {
    open: async () => opened,
    delete: async () => {
      stored = undefined;
    },
  });
  cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
});

afterEach(() => {
  stop?.();
  cache.clear();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Makes the cache send a request that is answered immediately, with a value or a refusal. */
const ask = (queryKey: readonly string[], answer: unknown) =>
  cache
    .fetchQuery({
      queryKey,
      queryFn: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)),
    })
    .catch(() => undefined);

const latestOf = (channelId: string) => queryKeys.timeline(channelId, "latest");

it("a channel refused before the stored chat was read is neither shown nor stored", async () => {
  stop = followKeptChat(cache);
  await ask(latestOf("closed"), refusal(403));
  letRead();
  await vi.advanceTimersByTimeAsync(0);
  expect(stored).toBeUndefined();
  expect(cache.getQueryData(latestOf("closed"))).toBeUndefined();
  expect(cache.getQueryState(latestOf("closed"))?.status).toBe("error");
  expect(cache.getQueryData(latestOf("open"))).toBeDefined();
});

it("data that an earlier release stored is erased and not shown", async () => {
  const { version: _version, ...earlier } = kept;
  stored = JSON.stringify(earlier);
  stop = followKeptChat(cache);
  letRead();
  await vi.advanceTimersByTimeAsync(0);
  expect(stored).toBeUndefined();
  expect(cache.getQueryData(latestOf("open"))).toBeUndefined();
});

it("no stored data is shown to a user whom the server has meanwhile refused", async () => {
  stop = followKeptChat(cache);
  await ask(queryKeys.me, refusal(401));
  letRead();
  await vi.advanceTimersByTimeAsync(0);
  expect(cache.getQueryState(queryKeys.me)).toMatchObject({ status: "error", data: undefined });
});

it("a channel that is refused later is removed from the stored chat", async () => {
  stop = followKeptChat(cache);
  letRead();
  await ask(queryKeys.me, me);
  await ask(queryKeys.channels, kept.value.channels);
  const timeline = (id: string) => ({ pages: [pageOf(id)], pageParams: [{}] });
  await ask(latestOf("open"), timeline("open"));
  await ask(latestOf("closed"), timeline("closed"));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(stored).toContain("post-closed");
  await ask(latestOf("closed"), refusal(403));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(stored).toContain("post-open");
  expect(stored).not.toContain("post-closed");
});
