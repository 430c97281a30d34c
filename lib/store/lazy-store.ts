import { setTimeout as sleep } from "node:timers/promises";
import type { StoreSettings } from "../config.ts";
import type { CodedError } from "../errors.ts";
import { log } from "../log.ts";
import { type Store, storeFailure } from "./store.ts";

const RETRY_AFTER_MS = 1000;

/** A store that opens on first use. */
export type Opener = {
  /** Returns the open store. @throws CodedError `degraded` while it cannot be opened */
  open(): Promise<Store>;
  /** Returns whether the store is open, so that no one has to wait for it. */
  isOpen(): boolean;
  /** Closes the store for good, if it is open. */
  close(): Promise<void>;
};

/**
 * Creates an opener that tries again a second after a failed attempt. Calls in between get the error of that
 * attempt.
 */
export function createOpener(attempt: () => Promise<Store>, now = () => performance.now()): Opener {
  let opening: Promise<Store> | null = null;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let failure: unknown = null;
  let isClosed = false;
  let isOpen = false;

  const tryToOpen = async () => {
    try {
      const store = await attempt();
      isOpen = true;
      return store;
    } catch (error) {
      opening = null;
      failedAtMs = now();
      failure = storeFailure(error);
      throw failure;
    }
  };

  return {
    async open() {
      if (isClosed) throw storeFailure({ name: "Closed" });
      if (!opening && now() - failedAtMs < RETRY_AFTER_MS) throw failure;
      opening ??= tryToOpen();
      return opening;
    },
    isOpen: () => isOpen && !isClosed,
    async close() {
      isClosed = true;
      const store = await opening?.catch(() => null);
      await store?.close();
    },
  };
}

const methods = Object.keys({
  get: true,
  set: true,
  setIfAbsent: true,
  replace: true,
  delete: true,
  deleteIf: true,
  commit: true,
  range: true,
  list: true,
  ping: true,
} satisfies Record<Exclude<keyof Store, "close">, true>) as Array<Exclude<keyof Store, "close">>;

/**
 * Creates a store that opens on first use. It rejects with `degraded` while it cannot be opened.
 * `onFailure` is called with the error of each failed call to an open store.
 */
export function createLazyStore({ open, close }: Opener, onFailure?: (error: CodedError) => void): Store {
  const calls = methods.map((name) => [
    name,
    async (...given: unknown[]) => {
      const store = await open();
      try {
        return await (store[name] as (...all: unknown[]) => unknown)(...given);
      } catch (fault) {
        // A store from another copy of this module throws errors of another class.
        const failure = storeFailure(fault);
        onFailure?.(failure);
        throw failure;
      }
    },
  ]);
  return { ...Object.fromEntries(calls), close } as Store;
}

const ASK_EVERY_MS = 1000;

/** Advice for operators of a store that accepts no writes. */
export const storeAdvice: Record<StoreSettings["kind"], string> = {
  sqlite: "Make DATA_DIR a folder that this user may write to, on a disk with space left.",
  redis: "Start the Redis server, or correct REDIS_URL.",
  upstash: "Correct UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN.",
};

/**
 * Resolves once the store accepts writes, which is checked every second, or once `signal` aborts. Logs when the
 * store fails and when it works again.
 */
export async function awaitStore(
  store: Store,
  kind: StoreSettings["kind"],
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await store.ping();
      if (failures > 0) log().info("the store accepts writes again");
      return;
    } catch (error) {
      const cause = String((error as { cause?: { message?: unknown } }).cause?.message);
      if (failures === 0)
        log().warn(
          { cause },
          `the store accepts no writes: requests get 503 until it does. ${storeAdvice[kind]}`,
        );
    }
    await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
