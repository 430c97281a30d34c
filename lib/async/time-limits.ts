/**
 * Waits `ms` at most for somebody else's code; what it answers later goes unheard.
 * @throws Error when the time is over, or what `call` throws
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
