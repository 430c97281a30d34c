import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "./store.ts";

const TTL_SECONDS = 4;
const RENEW_EVERY_MS = 1000;
const ASK_EVERY_MS = 50;

/**
 * Runs the work while no other process that shares the store runs work under the same key.
 * A holder that died frees the lock after 4 s. Rejects with the signal's reason when it is aborted while waiting.
 */
export async function withLock<T>(
  store: Store,
  key: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const holder = randomUUID();
  while (!(await store.setIfAbsent(key, holder, TTL_SECONDS))) {
    await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
  const renewal = setInterval(() => {
    store.replace(key, holder, holder, TTL_SECONDS).catch(() => {
      // The store is away: the lock runs out by itself, and the work checks what it writes.
    });
  }, RENEW_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await store.deleteIf(key, holder).catch(() => false);
  }
}
