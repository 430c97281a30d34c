import { createLazyStore, createOpener } from "../../store/lazy-store.ts";
import type { Store } from "../../store/store.ts";

/** A Redis server, or a SQLite file in `dataDir`; opened by the first call, so that only one driver is loaded. */
export function openPaymentStore(options: { redisUrl?: string | undefined; dataDir: string }): Store {
  const open = async () => {
    if (options.redisUrl === undefined) {
      const { createSqliteStore } = await import("../../store/sqlite-store.ts");
      return createSqliteStore({ dataDir: options.dataDir });
    }
    const { createRedisStore } = await import("../../store/redis-store.ts");
    return createRedisStore({ url: options.redisUrl });
  };
  return createLazyStore(createOpener(open));
}
