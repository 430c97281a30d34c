/** A signal that ends with the caller's, or after `timeoutMs`; `release` lets go of both. */
export function createDeadline(timeoutMs: number, signal?: AbortSignal) {
  // AbortSignal.any and AbortSignal.timeout are missing in React Native.
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
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
