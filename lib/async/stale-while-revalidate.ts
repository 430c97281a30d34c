/**
 * A value that is read once and read again behind the back of its askers when it is older than `ttlMs`:
 * nobody waits but the first. A failed first read rejects and is tried again by the next asker.
 */
export function createStaleWhileRevalidate<T>(
  read: () => Promise<T>,
  ttlMs: number,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let known: { value: T; at: number } | undefined;
  let reading: Promise<T> | undefined;

  const start = () => {
    reading ??= read()
      .then((value) => {
        known = { value, at: now() };
        return value;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };

  return async () => {
    if (known === undefined) return start();
    if (now() - known.at > ttlMs)
      start().catch(() => {
        // The old value serves until a later read succeeds.
      });
    return known.value;
  };
}
