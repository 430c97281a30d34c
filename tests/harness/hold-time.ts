import { vi } from "vitest";

export type HeldTime = {
  /** Advances both clocks by this many milliseconds at once, and fires the limits that expire by then. */
  pass(ms: number): void;
  release(): void;
};

/**
 * Stops both clocks of this process, `Date.now` and `performance.now`, and `AbortSignal.timeout`, so that a
 * limit ends when the test says. Other timers, and so all connections, continue. The test runner's fake clock
 * would advance with each `poll`.
 */
export function holdTime(): HeldTime {
  let nowMs = Date.now();
  const aheadMs = nowMs - performance.now();
  const limits = new Set<{ endsAtMs: number; controller: AbortController }>();
  const wall = vi.spyOn(Date, "now").mockImplementation(() => nowMs);
  const monotonic = vi.spyOn(performance, "now").mockImplementation(() => nowMs - aheadMs);
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
      monotonic.mockRestore();
      wall.mockRestore();
    },
  };
}

export type HeldTimers = {
  /** Returns the number of waiting timers. */
  count(): number;
  /** Fires all waiting timers. */
  end(): void;
  release(): void;
};

/**
 * Holds this process's timers of exactly this many milliseconds until the test fires them. All others
 * continue.
 */
export function holdTimers(delayMs: number): HeldTimers {
  const waiting = new Map<unknown, () => void>();
  const [set, clear] = [globalThis.setTimeout, globalThis.clearTimeout];
  const never = 2 ** 31 - 1;
  const starting = vi.spyOn(globalThis, "setTimeout").mockImplementation(((
    run: (...given: unknown[]) => void,
    ms?: number,
    ...given: unknown[]
  ) => {
    if (ms !== delayMs) return set(run, ms, ...given);
    const timer = set(() => undefined, never).unref();
    waiting.set(timer, () => run(...given));
    return timer;
  }) as typeof setTimeout);
  const ending = vi.spyOn(globalThis, "clearTimeout").mockImplementation((timer) => {
    waiting.delete(timer);
    clear(timer);
  });
  return {
    count: () => waiting.size,
    end() {
      for (const [timer, run] of waiting) {
        clear(timer as NodeJS.Timeout);
        run();
      }
      waiting.clear();
    },
    release() {
      ending.mockRestore();
      starting.mockRestore();
    },
  };
}
