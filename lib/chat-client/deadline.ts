/** Why a signal ended; React Native's tell no reason. */
export const reasonOf = (signal: AbortSignal | undefined): unknown =>
  signal?.reason ?? Object.assign(new Error("The call was aborted."), { name: "AbortError" });

/** A signal that ends with the caller's, or after `timeoutMs`; `release` lets go of both. */
export function createDeadline(timeoutMs: number, signal?: AbortSignal) {
  // AbortSignal.any and AbortSignal.timeout are missing in React Native.
  const controller = new AbortController();
  const abort = () => controller.abort(reasonOf(signal));
  const timer = setTimeout(
    () => controller.abort(new Error("The server did not answer in time.")),
    timeoutMs,
  );
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}

/** Waits for work that others may wait for too: the signal ends the waiting, not the work. */
export function untilAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(reasonOf(signal));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
