import { setMaxListeners } from "node:events";
import { CodedError } from "../../errors.ts";

/**
 * Creates a signal that aborts after `ms` with `chain_unavailable`. `AbortSignal.timeout` would blame the
 * node in use, although several nodes used up the time.
 */
export function startDeadline(ms: number): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const late = () => controller.abort(new CodedError("chain_unavailable", { cause: new Error("late") }));
  const timer = setTimeout(late, ms);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

/** Runs work for a limited time. Anything that it still waits for is aborted by the signal or abandoned. */
export type RunWithin = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/**
 * Creates a limit of `ms`, after which work fails with `chain_unavailable`. Work that begins in the same turn of the
 * event loop shares a deadline, because each costs a timer and a signal.
 */
export function createTimeLimit(ms: number): RunWithin {
  let latest: { signal: AbortSignal; late: Promise<never>; running: number; end(): void } | null = null;

  const start = () => {
    const { signal, end } = startDeadline(ms);
    // Node would report the listeners of more than ten payments as a leak.
    setMaxListeners(0, signal);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    setImmediate(() => {
      latest = null;
    });
    return { signal, late, running: 0, end };
  };

  return async (work) => {
    latest ??= start();
    const deadline = latest;
    deadline.running++;
    try {
      return await Promise.race([work(deadline.signal), deadline.late]);
    } finally {
      deadline.running--;
      if (deadline.running === 0) {
        deadline.end();
        // Work that begins later in the same turn must not share a deadline that never comes.
        if (latest === deadline) latest = null;
      }
    }
  };
}
