export type TtlLruCache<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
};

/** Removes the oldest entries of a map beyond `maxEntries`. */
export function forgetOldest<K>(entries: Map<K, unknown>, maxEntries: number): void {
  if (entries.size <= maxEntries) return;
  for (const oldest of entries.keys()) {
    if (entries.size <= maxEntries) break;
    entries.delete(oldest);
  }
}

/** An entry, and whether it was used since it was stored or got its second chance. */
type Entry<V> = { value: V; isUsed: boolean };

/** Maximum number of second chances at once, so that a full cache of used entries delays nobody. */
const MOST_CHANCES = 64;

/**
 * Drops the oldest entries while `isFull`, but one that was used since it was stored gets a second chance as the newest,
 * unless it `isOver`. So a use changes no map, as it would if it made its entry the newest at once.
 */
function makeRoom<E extends Entry<unknown>>(
  entries: Map<string, E>,
  {
    isFull,
    isOver = () => false,
    onDrop = () => undefined,
  }: { isFull: () => boolean; isOver?: (entry: E) => boolean; onDrop?: (entry: E) => void },
): void {
  if (!isFull()) return;
  let chances = MOST_CHANCES;
  for (const [key, entry] of entries) {
    entries.delete(key);
    if (entry.isUsed && chances > 0 && !isOver(entry)) {
      chances -= 1;
      entry.isUsed = false;
      entries.set(key, entry);
      continue;
    }
    onDrop(entry);
    if (!isFull()) return;
  }
}

/**
 * Creates a map that drops entries after `ttlMs` and, beyond `maxEntries`, the oldest one that has hardly been used. `now`
 * is a monotonic clock in ms.
 */
export function createTtlLruCache<V>(options: {
  maxEntries: number;
  ttlMs: number;
  now?: () => number;
}): TtlLruCache<V> {
  const { maxEntries, ttlMs, now = () => performance.now() } = options;
  const entries = new Map<string, Entry<V> & { until: number }>();
  const limits = {
    isFull: () => entries.size >= maxEntries,
    isOver: ({ until }: { until: number }) => until <= now(),
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (entry.until <= now()) {
        entries.delete(key);
        return undefined;
      }
      entry.isUsed = true;
      return entry.value;
    },
    set(key, value) {
      const until = now() + ttlMs;
      const present = entries.get(key);
      if (present === undefined) {
        makeRoom(entries, limits);
        entries.set(key, { value, until, isUsed: false });
        return;
      }
      present.value = value;
      present.until = until;
      present.isUsed = true;
    },
    delete: (key) => void entries.delete(key),
  };
}

/**
 * Like `createTtlLruCache`, but bounded by the sum of the entries' sizes. Values larger than an eighth of the
 * bound are not stored.
 */
export function createSizedCache<V>(maxSize: number, sizeOf: (value: V) => number): TtlLruCache<V> {
  const entries = new Map<string, Entry<V> & { size: number }>();
  let sum = 0;
  const remove = (key: string) => {
    sum -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entry.isUsed = true;
      return entry.value;
    },
    set(key, value) {
      remove(key);
      const size = sizeOf(value);
      if (size > maxSize / 8) return;
      makeRoom(entries, {
        isFull: () => sum + size > maxSize,
        onDrop: (dropped) => {
          sum -= dropped.size;
        },
      });
      entries.set(key, { value, size, isUsed: false });
      sum += size;
    },
    delete: remove,
  };
}

/**
 * Creates the reader of a value that is refreshed in the background once it is older than `ttlMs`. Callers
 * wait only for the first read, after `forget`, and when the value is older than `mostMs`. If there is no
 * value and the read fails, it rejects, and the next caller tries again; an old value stays in use until a
 * read succeeds.
 */
export function createStaleWhileRevalidate<T>(
  read: () => Promise<T>,
  ttlMs: number,
  {
    mostMs = Number.POSITIVE_INFINITY,
    now = () => performance.now(),
  }: { mostMs?: number; now?: () => number } = {},
): (() => Promise<T>) & { forget(): void } {
  let known: { value: T; at: number } | undefined;
  let reading: Promise<T> | undefined;

  const start = () => {
    if (reading) return reading;
    const begun = read()
      .then((value) => {
        if (reading === begun) known = { value, at: now() };
        return value;
      })
      .finally(() => {
        if (reading === begun) reading = undefined;
      });
    reading = begun;
    return begun;
  };

  const ask = async () => {
    if (known === undefined) return start();
    const { value, at } = known;
    if (now() - at <= ttlMs) return value;
    // The old value stays in use until a later read succeeds.
    const renewed = start().catch(() => value);
    return now() - at > mostMs ? renewed : value;
  };
  const forget = () => {
    known = undefined;
    reading = undefined;
  };
  return Object.assign(ask, { forget });
}

/** Runs the action at once, and once more after `pauseMs` if it was called again meanwhile, however often. */
export function createThrottle(act: () => void, pauseMs: number): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isAskedAgain = false;
  const begin = () => {
    act();
    isAskedAgain = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (isAskedAgain) begin();
    }, pauseMs).unref();
  };
  return () => {
    if (timer) isAskedAgain = true;
    else begin();
  };
}

/**
 * Shares answers among many callers: one query runs at a time, at most one per `pauseMs`, and each caller
 * gets the answer to a query that began after its call.
 */
export function createFreshAnswers<T>(ask: () => Promise<T>, pauseMs: number): () => Promise<T> {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;

  const askNext = async () => {
    await last;
    const restMs = askedAtMs + pauseMs - performance.now();
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    next = undefined;
    askedAtMs = performance.now();
    const asking = ask();
    last = asking.catch(() => undefined);
    return asking;
  };

  return () => {
    next ??= askNext();
    return next;
  };
}

/** Returns the value created under the key for this owner, and creates it on the first call. */
export type Scope = <T>(key: string, make: () => T) => T;

/** Values that one owner, such as a gateway, stores across requests. */
export function createScope(): Scope {
  const kept = new Map<string, unknown>();
  return <T>(key: string, make: () => T) => {
    if (!kept.has(key)) kept.set(key, make());
    return kept.get(key) as T;
  };
}
