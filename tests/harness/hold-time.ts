import { vi } from "vitest";

export type HeldTime = {
  /** Lets so many milliseconds pass at once: for `Date.now`, and for the limits that are over by then. */
  pass(ms: number): void;
  release(): void;
};

/**
 * Stops the clock of this process for `Date.now` and `AbortSignal.timeout`, so that a limit ends when the test says.
 * Other timers, and so all connections, go on; the test runner's own fake clock would go on with each `poll`.
 */
export function holdTime(): HeldTime {
  let nowMs = Date.now();
  const limits = new Set<{ endsAtMs: number; controller: AbortController }>();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => nowMs);
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const controller = new AbortController();
    limits.add({ endsAtMs: nowMs + ms, controller });
    return controller.signal;
  });
  return {
    pass(ms) {
      nowMs += ms;
      for (const limit of limits) {
        if (limit.endsAtMs > nowMs) continue;
        limits.delete(limit);
        limit.controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
      }
    },
    release() {
      timeout.mockRestore();
      clock.mockRestore();
    },
  };
}
