/**
 * Waits up to `ms` for a call of other people's code, and ignores its result after that.
 * @throws Error when the time is up, or whatever `call` throws
 */
export async function answerWithin<T>(ms: number, call: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), ms);
  });
  try {
    return await Promise.race([call(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Runs the work under a signal that aborts with the first of the given ones, and holds references to them
 * until the work has ended: Node 20 garbage-collects a timeout that only `AbortSignal.any` follows, which
 * would leave the work without a limit.
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

/** Returns a signal that aborts with the first of these. Someone must hold them, as `underSignals` does. */
export const firstOf = (signals: readonly AbortSignal[]): AbortSignal => AbortSignal.any([...signals]);
