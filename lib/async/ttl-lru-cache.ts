export type TtlLruCache<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
};

/** A map that forgets entries after `ttlMs` and, beyond `maxEntries`, the longest unused ones; `now` is a monotonic clock in ms. */
export function createTtlLruCache<V>(options: {
  maxEntries: number;
  ttlMs: number;
  now?: () => number;
}): TtlLruCache<V> {
  const { maxEntries, ttlMs, now = () => performance.now() } = options;
  const entries = new Map<string, { value: V; until: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (entry.until <= now()) return undefined;
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, { value, until: now() + ttlMs });
      const oldest = entries.size > maxEntries ? entries.keys().next().value : undefined;
      if (oldest !== undefined) entries.delete(oldest);
    },
    delete: (key) => void entries.delete(key),
  };
}
