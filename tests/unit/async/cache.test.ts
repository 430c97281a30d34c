import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createFreshAnswers,
  createSizedCache,
  createStaleWhileRevalidate,
  createThrottle,
  createTtlLruCache,
} from "../../../lib/async/cache.ts";

function scripted() {
  const asked: Array<{ resolve(value: number): void; reject(error: Error): void }> = [];
  const ask = () => new Promise<number>((resolve, reject) => asked.push({ resolve, reject }));
  return { asked, ask };
}

describe("a cache of recent entries", () => {
  it("drops an entry once its time is up", () => {
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

  it("drops the oldest entry, not the new one, if all were used", () => {
    const cache = createTtlLruCache<number>({ maxEntries: 2, ttlMs: 100, now: () => 0 });
    for (const [index, key] of ["a", "b"].entries()) {
      cache.set(key, index);
      cache.get(key);
    }
    cache.set("c", 2);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([undefined, 1, 2]);
  });

  it("drops an entry that was used long ago", () => {
    const cache = createTtlLruCache<number>({ maxEntries: 2, ttlMs: 100, now: () => 0 });
    cache.set("a", 1);
    cache.get("a");
    for (const key of ["b", "c", "d"]) cache.set(key, 2);
    expect(cache.get("a")).toBeUndefined();
  });

  it("drops an entry whose time is up, however often it was used, before one whose time is not", () => {
    let now = 0;
    const cache = createTtlLruCache<number>({ maxEntries: 2, ttlMs: 100, now: () => now });
    cache.set("a", 1);
    cache.get("a");
    now = 99;
    cache.set("b", 2);
    now = 100;
    cache.set("c", 3);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([undefined, 2, 3]);
  });

  it("counts an entry that is stored again as used, and its time from then on", () => {
    let now = 0;
    const cache = createTtlLruCache<number>({ maxEntries: 2, ttlMs: 100, now: () => now });
    cache.set("a", 1);
    cache.set("b", 2);
    now = 60;
    cache.set("a", 3);
    cache.set("c", 4);
    now = 159;
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([3, undefined, 4]);
    now = 160;
    expect(cache.get("a")).toBeUndefined();
  });

  it("is what a map would hold without a limit, except for entries that were dropped", () => {
    const step = fc.tuple(fc.constantFrom("get", "set", "delete"), fc.constantFrom(..."abcdef"), fc.nat(30));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 200 }), (maxEntries, steps) => {
        let now = 0;
        const cache = createTtlLruCache<number>({ maxEntries, ttlMs: 100, now: () => now });
        const whole = new Map<string, { value: number; until: number }>();
        for (const [value, [act, key, ms]] of steps.entries()) {
          now += ms;
          if (act === "delete") {
            cache.delete(key);
            whole.delete(key);
          } else if (act === "set") {
            cache.set(key, value);
            whole.set(key, { value, until: now + 100 });
            expect(cache.get(key)).toBe(value);
          } else {
            const known = whole.get(key);
            expect([undefined, known && known.until > now ? known.value : undefined]).toContain(
              cache.get(key),
            );
          }
          const held = [...whole.keys()].filter((each) => cache.get(each) !== undefined);
          expect(held.length).toBeLessThanOrEqual(maxEntries);
        }
      }),
    );
  });

  it("replaces and deletes entries", () => {
    const cache = createTtlLruCache<number>({ maxEntries: 1, ttlMs: 100, now: () => 0 });
    cache.set("a", 1);
    cache.set("a", 2);
    expect(cache.get("a")).toBe(2);
    cache.delete("a");
    expect(cache.get("a")).toBeUndefined();
  });
});

describe("a cache bounded by the size of its entries", () => {
  const sized = () => createSizedCache<string>(16, (text) => text.length);

  it("drops the least recently used until a new one fits", () => {
    const cache = sized();
    for (let index = 0; index < 8; index += 1) cache.set(String(index), "xx");
    cache.get("0");
    cache.set("8", "xx");
    cache.set("9", "x");
    expect(Array.from({ length: 10 }, (_, index) => cache.get(String(index)) !== undefined)).toEqual([
      true,
      false,
      false,
      ...Array(7).fill(true),
    ]);
  });

  it("counts a replaced or deleted entry no longer", () => {
    const cache = sized();
    for (let index = 0; index < 100; index += 1) cache.set("same", "xx");
    cache.delete("same");
    cache.delete("same");
    for (let index = 0; index < 8; index += 1) cache.set(String(index), "xx");
    expect(Array.from({ length: 8 }, (_, index) => cache.get(String(index)))).toEqual(Array(8).fill("xx"));
  });

  it("does not store an entry larger than an eighth of its size, and drops the one that it replaces", () => {
    const cache = sized();
    cache.set("a", "x");
    cache.set("a", "xxx");
    expect(cache.get("a")).toBeUndefined();
  });
});

describe("a value that is refreshed in the background", () => {
  it("loads once for many callers", async () => {
    const { asked, ask } = scripted();
    const value = createStaleWhileRevalidate(ask, 100, { now: () => 0 });
    const both = Promise.all([value(), value()]);
    asked[0]?.resolve(7);
    expect(await both).toEqual([7, 7]);
    expect(await value()).toBe(7);
    expect(asked).toHaveLength(1);
  });

  it("loads again once the value has expired, and serves the old value meanwhile", async () => {
    let now = 0;
    const { asked, ask } = scripted();
    const value = createStaleWhileRevalidate(ask, 100, { now: () => now });
    const first = value();
    asked[0]?.resolve(1);
    await first;
    now = 101;
    expect(await value()).toBe(1);
    expect(asked).toHaveLength(2);
    asked[1]?.resolve(2);
    await expect.poll(value).toBe(2);
  });

  it("fails for the first caller, and tries again for the next", async () => {
    const { asked, ask } = scripted();
    const value = createStaleWhileRevalidate(ask, 100, { now: () => 0 });
    const first = value();
    asked[0]?.reject(new Error("away"));
    await expect(first).rejects.toThrow("away");
    const second = value();
    asked[1]?.resolve(3);
    expect(await second).toBe(3);
  });

  it("keeps the old value if a later load fails", async () => {
    let now = 0;
    const { asked, ask } = scripted();
    const value = createStaleWhileRevalidate(ask, 100, { now: () => now });
    const first = value();
    asked[0]?.resolve(1);
    await first;
    now = 101;
    await value();
    asked[1]?.reject(new Error("away"));
    await expect.poll(() => value().then(() => asked.length)).toBe(3);
    expect(await value()).toBe(1);
  });

  it("waits for a new value beyond the maximum age, and serves the old one if that fails", async () => {
    let now = 0;
    const { asked, ask } = scripted();
    const value = createStaleWhileRevalidate(ask, 100, { mostMs: 200, now: () => now });
    const first = value();
    asked[0]?.resolve(1);
    await first;
    now = 201;
    const late = value();
    asked[1]?.resolve(2);
    expect(await late).toBe(2);
    now = 402;
    const refused = value();
    asked[2]?.reject(new Error("away"));
    expect(await refused).toBe(2);
  });

  it("loads again for callers after an invalidation, even if a load is in progress", async () => {
    const { asked, ask } = scripted();
    const value = createStaleWhileRevalidate(ask, 100, { now: () => 0 });
    const before = value();
    value.forget();
    const after = value();
    asked[0]?.resolve(1);
    asked[1]?.resolve(2);
    expect(await Promise.all([before, after])).toEqual([1, 2]);
    expect(await value()).toBe(2);
  });
});

describe("fresh answers", () => {
  it("answers each caller with a run that started after the call, one run at a time", async () => {
    const { asked, ask } = scripted();
    const answer = createFreshAnswers(ask, 0);
    const early = answer();
    await expect.poll(() => asked.length).toBe(1);
    const late = [answer(), answer(), answer()];
    expect(asked).toHaveLength(1);
    asked[0]?.resolve(1);
    expect(await early).toBe(1);
    await expect.poll(() => asked.length).toBe(2);
    asked[1]?.resolve(2);
    expect(await Promise.all(late)).toEqual([2, 2, 2]);
  });

  it("runs again after a failure", async () => {
    const { asked, ask } = scripted();
    const answer = createFreshAnswers(ask, 0);
    const first = answer();
    await expect.poll(() => asked.length).toBe(1);
    const second = answer();
    asked[0]?.reject(new Error("away"));
    await expect(first).rejects.toThrow("away");
    await expect.poll(() => asked.length).toBe(2);
    asked[1]?.resolve(2);
    expect(await second).toBe(2);
  });
});

describe("a throttled action", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("runs immediately, and once more for all calls within the pause", () => {
    let acts = 0;
    const ask = createThrottle(() => {
      acts += 1;
    }, 1000);
    for (let i = 0; i < 500; i += 1) ask();
    expect(acts).toBe(1);
    vi.advanceTimersByTime(999);
    expect(acts).toBe(1);
    vi.advanceTimersByTime(1);
    expect(acts).toBe(2);
    vi.advanceTimersByTime(10_000);
    expect(acts).toBe(2);
    ask();
    expect(acts).toBe(3);
  });
});
