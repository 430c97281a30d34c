import { processWide } from "../async/process-wide.ts";
import { currentConfig } from "../config.ts";
import { createLazyStore, createOpener } from "../store/lazy-store.ts";
import { openStore } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";

const shared = () =>
  processWide("store", () => {
    const opener = createOpener(() => openStore(currentConfig().store));
    return { opener, store: createLazyStore(opener) };
  });

/** The process's one store, opened by its first call. */
export function sharedStore(): Store {
  return shared().store;
}

/** Resolves when the shared store is open: what can't do without it refuses before it does anything. @throws CodedError `degraded` */
export async function requireStore(): Promise<void> {
  await shared().opener.open();
}

/** Closes the shared store, if it was opened. */
export async function closeSharedStore(): Promise<void> {
  await shared().store.close();
}
