import { setTimeout as wait } from "node:timers/promises";

/**
 * Shares the answers to a question among many askers: it is asked by one at a time, at most every `pauseMs`, and each
 * asker gets the answer to one that was asked after he came.
 */
export function createFreshAnswers<T>(ask: () => Promise<T>, pauseMs: number): () => Promise<T> {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;

  const askNext = async () => {
    await last;
    const restMs = askedAtMs + pauseMs - performance.now();
    if (restMs > 0) await wait(restMs);
    next = undefined;
    askedAtMs = performance.now();
    const asking = ask();
    last = asking.catch(() => undefined);
    return asking;
  };

  return () => {
    next ??= askNext();
    return next;
  };
}
