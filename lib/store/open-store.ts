import type { StoreSettings } from "../config.ts";
import { createRedisStore } from "./redis-store.ts";
import { createSqliteStore } from "./sqlite-store.ts";
import type { Store } from "./store.ts";
import { createUpstashStore } from "./upstash-store.ts";

/** Opens the store that the settings name. */
export async function openStore(settings: StoreSettings): Promise<Store> {
  switch (settings.kind) {
    case "sqlite":
      return createSqliteStore({ dataDir: settings.dataDir });
    case "redis":
      return createRedisStore({ url: settings.url.reveal() });
    case "upstash":
      return createUpstashStore({ url: settings.url, token: settings.token.reveal() });
  }
}
