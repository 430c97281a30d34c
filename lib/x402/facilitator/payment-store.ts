import { createLazyStore, createOpener } from "../../store/lazy-store.ts";
import type { Store } from "../../store/store.ts";
import { warn } from "../check-options.ts";

/**
 * Connects to a Redis server, or opens a SQLite file in `dataDir`, on the first call, so that only one driver
 * is loaded.
 */
export function openPaymentStore(options: { redisUrl?: string | undefined; dataDir: string }): Store {
  const { redisUrl: url, dataDir } = options;
  const openFile = async () => (await import("../../store/sqlite-store.ts")).createSqliteStore({ dataDir });
  if (url === undefined) return openLazily(openFile, "dataDir", "libsql");
  const connect = async () => (await import("../../store/redis-store.ts")).createRedisStore({ url });
  return openLazily(connect, "redisUrl", "redis");
}

/** Callers get `degraded`, which does not mention packages; the operator's error says what to install. */
function openLazily(open: () => Promise<Store>, option: string, driver: string): Store {
  const attempt = async () => {
    try {
      return await open();
    } catch (error) {
      if (/MODULE_NOT_FOUND$/.test(String((error as { code?: unknown }).code)))
        warn(
          `${option} needs the package ${driver} beside hivegate: npm install ${driver}`,
          "HIVEGATE_NEEDS_DRIVER",
        );
      throw error;
    }
  };
  return createLazyStore(createOpener(attempt));
}
