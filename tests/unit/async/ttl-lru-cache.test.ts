import { expect, it } from "vitest";
import { createTtlLruCache } from "../../../lib/async/cache.ts";

it("forgets an entry when its time is over", () => {
  let now = 0;
  const cache = createTtlLruCache<number>({ maxEntries: 10, ttlMs: 100, now: () => now });
  cache.set("a", 1);
  now = 99;
  expect(cache.get("a")).toBe(1);
  now = 100;
  expect(cache.get("a")).toBeUndefined();
});

it("does not live longer for being asked for", () => {
  let now = 0;
  const cache = createTtlLruCache<number>({ maxEntries: 10, ttlMs: 100, now: () => now });
  cache.set("a", 1);
  for (now = 10; now < 100; now += 10) cache.get("a");
  now = 101;
  expect(cache.get("a")).toBeUndefined();
});

it("holds no more than its limit and forgets the longest unused", () => {
  const cache = createTtlLruCache<number>({ maxEntries: 2, ttlMs: 100, now: () => 0 });
  cache.set("a", 1);
  cache.set("b", 2);
  cache.get("a");
  cache.set("c", 3);
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([1, undefined, 3]);
});

it("replaces and deletes", () => {
  const cache = createTtlLruCache<number>({ maxEntries: 1, ttlMs: 100, now: () => 0 });
  cache.set("a", 1);
  cache.set("a", 2);
  expect(cache.get("a")).toBe(2);
  cache.delete("a");
  expect(cache.get("a")).toBeUndefined();
});
