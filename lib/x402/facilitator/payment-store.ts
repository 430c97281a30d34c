import type { Store } from "../../store/store.ts";

const methods = [
  "get",
  "set",
  "setIfAbsent",
  "setAllIfAbsent",
  "replace",
  "delete",
  "deleteIf",
  "list",
  "ping",
  "close",
] as const satisfies ReadonlyArray<keyof Store>;

/** A Redis server, or a SQLite file in `dataDir`; opened by the first call, so that only one driver is loaded. */
export function openPaymentStore(options: { redisUrl?: string | undefined; dataDir: string }): Store {
  let opening: Promise<Store> | undefined;
  const open = async () => {
    if (options.redisUrl === undefined) {
      const { createSqliteStore } = await import("../../store/sqlite-store.ts");
      return createSqliteStore({ dataDir: options.dataDir });
    }
    const { createRedisStore } = await import("../../store/redis-store.ts");
    return createRedisStore({ url: options.redisUrl });
  };
  const opened = () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const calls = methods.map((name) => [
    name,
    async (...given: unknown[]) => ((await opened())[name] as (...all: unknown[]) => unknown)(...given),
  ]);
  return Object.fromEntries(calls) as Store;
}
