/**
 * Works under a signal that aborts with the first of those given. They are held until the work has ended: Node 20 collects
 * a timeout that nothing but `AbortSignal.any` follows, and the work would have no limit.
 */
export function underSignals<T>(
  signals: ReadonlyArray<AbortSignal | undefined>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const held = signals.filter((signal) => signal !== undefined);
  return work(AbortSignal.any(held)).finally(() => {
    held.length = 0;
  });
}
