export type TtlLruCache<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
};

/** Takes the oldest entries out of a map that has more than so many. */
export function forgetOldest<K>(entries: Map<K, unknown>, maxEntries: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= maxEntries) break;
    entries.delete(oldest);
  }
}

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
      forgetOldest(entries, maxEntries);
    },
    delete: (key) => void entries.delete(key),
  };
}

/** Like `createTtlLruCache`, bounded by the sum of its entries' sizes; what is larger than an eighth of it is not kept. */
export function createSizedCache<V>(maxSize: number, sizeOf: (value: V) => number): TtlLruCache<V> {
  const entries = new Map<string, { value: V; size: number }>();
  let sum = 0;
  const remove = (key: string) => {
    sum -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value) {
      remove(key);
      const size = sizeOf(value);
      if (size > maxSize / 8) return;
      entries.set(key, { value, size });
      sum += size;
      for (const oldest of entries.keys()) {
        if (sum <= maxSize) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}

/**
 * A value that is read once and read again behind the back of its askers when it is older than `ttlMs`:
 * nobody waits but the first, who comes after `forget`, or finds it older than `mostMs`. A failed first read rejects
 * and is tried again by the next asker; one that fails later leaves the old value.
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
    // The old value serves until a later read succeeds.
    const renewed = start().catch(() => value);
    return now() - at > mostMs ? renewed : value;
  };
  const forget = () => {
    known = undefined;
    reading = undefined;
  };
  return Object.assign(ask, { forget });
}

/** Acts at once and, however often it is asked to within the next `pauseMs`, once more at their end. */
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
 * Shares the answers to a question among many askers: it is asked by one at a time, at most every `pauseMs`, and each
 * asker gets the answer to one that was asked after they came.
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

/** Gives what was made under the key for this owner, and makes it with the first call. */
export type Scope = <T>(key: string, make: () => T) => T;

/** What one owner, such as a gateway, keeps from request to request. */
export function createScope(): Scope {
  const kept = new Map<string, unknown>();
  return <T>(key: string, make: () => T) => {
    if (!kept.has(key)) kept.set(key, make());
    return kept.get(key) as T;
  };
}
