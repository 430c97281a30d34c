import { currentConfig } from "../config.ts";
import { processWide } from "../process-wide.ts";
import { openStore } from "./open-store.ts";
import type { Store } from "./store.ts";

type Opening = { store: Promise<Store> | null };

/** The process's one store, opened at the first call; an opening that failed is tried again by the next call. */
export function sharedStore(): Promise<Store> {
  const opening = processWide<Opening>("store", () => ({ store: null }));
  opening.store ??= openStore(currentConfig().store).catch((error: unknown) => {
    opening.store = null;
    throw error;
  });
  return opening.store;
}

/** Closes the shared store, if it was opened. */
export async function closeSharedStore(): Promise<void> {
  const opening = processWide<Opening>("store", () => ({ store: null }));
  await (await opening.store)?.close();
}
