import { expect, it } from "vitest";
import { createTtlLruCache } from "../../../lib/async/cache.ts";

it("drops an entry after its time", () => {
  let now = 0;
  const cache = createTtlLruCache<number>({ maxEntries: 10, ttlMs: 100, now: () => now });
  cache.set("a", 1);
  now = 99;
  expect(cache.get("a")).toBe(1);
  now = 100;
  expect(cache.get("a")).toBeUndefined();
});

it("does not extend an entry's life on reads", () => {
  let now = 0;
  const cache = createTtlLruCache<number>({ maxEntries: 10, ttlMs: 100, now: () => now });
  cache.set("a", 1);
  for (now = 10; now < 100; now += 10) cache.get("a");
  now = 101;
  expect(cache.get("a")).toBeUndefined();
});

it("holds entries up to its limit, and drops the least recently used", () => {
  const cache = createTtlLruCache<number>({ maxEntries: 2, ttlMs: 100, now: () => 0 });
  cache.set("a", 1);
  cache.set("b", 2);
  cache.get("a");
  cache.set("c", 3);
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([1, undefined, 3]);
});

it("replaces and deletes entries", () => {
  const cache = createTtlLruCache<number>({ maxEntries: 1, ttlMs: 100, now: () => 0 });
  cache.set("a", 1);
  cache.set("a", 2);
  expect(cache.get("a")).toBe(2);
  cache.delete("a");
  expect(cache.get("a")).toBeUndefined();
});
