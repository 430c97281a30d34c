import { CodedError } from "../../errors.ts";

/**
 * A signal that aborts after `ms` with `chain_unavailable`. Not `AbortSignal.timeout`, which tells of a slow node: the one
 * that is being asked when several used up the time is not at fault.
 */
export function startDeadline(ms: number): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const late = () => controller.abort(new CodedError("chain_unavailable", { cause: new Error("late") }));
  const timer = setTimeout(late, ms);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

/**
 * Runs work that may take `ms` in all; what it waits for is cut by the signal or left behind.
 * @throws CodedError `chain_unavailable` when the time is over
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
