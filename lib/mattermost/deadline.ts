export type Deadline = { signal: AbortSignal; isOver(): boolean; clear(): void };

/** A signal that fires after `timeoutMs` or with `signal`; `clear` when the work ended. */
export function startDeadline(timeoutMs: number, signal: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let over = false;
  const abort = () => controller.abort();
  const timer = setTimeout(() => {
    over = true;
    abort();
  }, timeoutMs);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    isOver: () => over,
    clear: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}
