import { openSqliteStore } from "./open-sqlite-store.ts";
import type { Store } from "./store.ts";

/** Creates a store in one SQLite file (`hivegate.sqlite` in `dataDir`), safe for several processes of one machine. */
export function createSqliteStore({ dataDir }: { dataDir: string }): Store {
  return openSqliteStore(dataDir);
}
