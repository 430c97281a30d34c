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

/**
 * Runs work for up to `ms`. Anything that it still waits for is aborted by the signal or abandoned.
 * @throws CodedError `chain_unavailable` when the time is up
 */
export async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, end } = startDeadline(ms);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  try {
    return await Promise.race([work(signal), late]);
  } finally {
    end();
  }
}
