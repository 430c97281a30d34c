import type { Store } from "../../store/store.ts";
import { warn } from "../warn.ts";

/** The part of a store that claims need. */
export type ClaimStore = Pick<Store, "get" | "setIfAbsent" | "replace" | "deleteIf">;

const MAX_ENTRIES = 20_000;
const warning =
  "A paywall without a `store` remembers deliveries in memory only: give it one that survives a restart and that all its servers share.";

type Entry = { value: string; expiresAtMs: number };

let hasWarned = false;

/** Makes a claim store of this process, the oldest entries of too many forgotten; warns once. `now` is a monotonic clock in ms. */
export function createMemoryClaimStore(now: () => number = () => performance.now()): ClaimStore {
  if (!hasWarned) {
    hasWarned = true;
    warn(warning, "HIVEGATE_MEMORY_CLAIMS");
  }
  const entries = new Map<string, Entry>();
  const live = (key: string) => {
    const entry = entries.get(key);
    if (entry && entry.expiresAtMs <= now()) entries.delete(key);
    return entries.get(key);
  };
  const put = (key: string, value: string, ttlSeconds = Number.POSITIVE_INFINITY) => {
    entries.delete(key);
    const oldest = entries.size >= MAX_ENTRIES ? entries.keys().next().value : undefined;
    if (oldest !== undefined) entries.delete(oldest);
    entries.set(key, { value, expiresAtMs: now() + ttlSeconds * 1000 });
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
