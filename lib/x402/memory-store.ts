import { forgetOldest } from "../async/cache.ts";
import type { Store } from "../store/store.ts";

const MAX_ENTRIES = 20_000;

type Entry = { value: string; expiresAtMs: number };

/**
 * Creates a store in this process, which drops the oldest entries beyond its limit. `now` is a monotonic clock in ms.
 */
export function createMemoryStore(
  now: () => number = () => performance.now(),
  maxEntries: number = MAX_ENTRIES,
): Pick<Store, "get" | "setIfAbsent" | "replace" | "deleteIf"> {
  const entries = new Map<string, Entry>();
  const live = (key: string) => {
    const entry = entries.get(key);
    if (entry && entry.expiresAtMs <= now()) entries.delete(key);
    return entries.get(key);
  };
  const put = (key: string, value: string, ttlSeconds = Number.POSITIVE_INFINITY) => {
    entries.delete(key);
    entries.set(key, { value, expiresAtMs: now() + ttlSeconds * 1000 });
    forgetOldest(entries, maxEntries);
  };
  return {
    get: async (key) => live(key)?.value ?? null,
    async setIfAbsent(key, value, ttlSeconds) {
      if (live(key)) return false;
      put(key, value, ttlSeconds);
      return true;
    },
    async replace(key, expected, value, ttlSeconds) {
      if (live(key)?.value !== expected) return false;
      put(key, value, ttlSeconds);
      return true;
    },
    async deleteIf(key, expected) {
      return live(key)?.value === expected && entries.delete(key);
    },
  };
}
