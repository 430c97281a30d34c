import type { Store } from "./store.ts";
import { storeFailure } from "./store-failure.ts";

const RETRY_AFTER_MS = 1000;

/** A store that is opened when it is first needed. */
export type Opener = {
  /** The open store. @throws CodedError `degraded` while it can't be opened */
  open(): Promise<Store>;
  /** Closes the store, if it is open, for good. */
  close(): Promise<void>;
};

/** Creates an opener that tries again a second after an attempt that failed: calls in between get its error. */
export function createOpener(attempt: () => Promise<Store>, now = () => performance.now()): Opener {
  let opening: Promise<Store> | null = null;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let failure: unknown = null;
  let isClosed = false;

  const tryToOpen = async () => {
    try {
      return await attempt();
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

/** Creates a store whose calls open it: one that can't be opened rejects with `degraded`, and serves once it can. */
export function createLazyStore({ open, close }: Opener): Store {
  const calls = methods.map((name) => [
    name,
    async (...given: unknown[]) => {
      const store = await open();
      return (store[name] as (...all: unknown[]) => unknown)(...given);
    },
  ]);
  return { ...Object.fromEntries(calls), close } as Store;
}
