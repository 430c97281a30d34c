import type { StoreSettings } from "../config.ts";
import { createSqliteStore } from "./sqlite-store.ts";
import type { Store } from "./store.ts";

/** Opens the store that the settings name. */
export async function openStore(settings: StoreSettings): Promise<Store> {
  switch (settings.kind) {
    case "sqlite":
      return createSqliteStore({ dataDir: settings.dataDir });
    default:
      throw new Error(`no store of kind ${settings.kind}`);
  }
}
