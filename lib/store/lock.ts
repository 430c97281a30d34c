import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { CodedError } from "../errors.ts";
import { takeLease } from "./lease.ts";
import type { Store } from "./store.ts";

const ASK_EVERY_MS = 50;

/**
 * Runs the work while no other work under the same key runs on the same store. The lock of a dead process is
 * freed after 4 s. Rejects with the signal's reason if aborted while waiting.
 */
export async function withLock<T>(
  store: Store,
  key: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  let lease = await takeLease(store, key);
  while (lease === null) {
    await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    lease = await takeLease(store, key);
  }
  try {
    return await work();
  } finally {
    await lease.release();
  }
}

const Items = z.array(z.string());
const MAX_ITEMS = 2000;
const ATTEMPTS = 20;

/** Returns the list of texts under the key; empty by default. */
export async function readList(store: Store, key: string): Promise<string[]> {
  return parse(await store.get(key));
}

/**
 * Changes the list under the key atomically across processes. A list that grows too long loses its oldest
 * items. With `ttlSeconds`, the list expires that long after its last change.
 * @throws CodedError `overloaded` if others change it again and again
 */
export async function changeList(
  store: Store,
  key: string,
  change: (items: readonly string[]) => readonly string[],
  ttlSeconds?: number,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const text = await store.get(key);
    const changed = JSON.stringify([...new Set(change(parse(text)))].slice(-MAX_ITEMS));
    if (changed === (text ?? "[]")) return;
    const isDone =
      text === null
        ? await store.setIfAbsent(key, changed, ttlSeconds)
        : await store.replace(key, text, changed, ttlSeconds);
    if (isDone) return;
  }
  throw new CodedError("overloaded");
}

const parse = (text: string | null): string[] => (text === null ? [] : Items.parse(JSON.parse(text)));
