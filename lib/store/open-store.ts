import { Redis } from "@upstash/redis";
import type { StoreSettings } from "../config.ts";
import { createRedisStore } from "./redis-store.ts";
import { createScriptedStore } from "./scripted-store.ts";
import { createSqliteStore } from "./sqlite-store.ts";
import type { Store } from "./store.ts";

/** Opens the store that the settings select. */
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

const REQUEST_TIMEOUT_MS = 3000;

/** Creates a store in a Redis over REST in Upstash's format. No request waits longer than 3 s. */
export function createUpstashStore(options: { url: string; token: string }): Store {
  const redis = new Redis({
    url: options.url,
    token: options.token,
    automaticDeserialization: false,
    enableTelemetry: false,
    // A retry after a lost answer would find its own entry and report it as another's. `retry: false` still retries once.
    retry: { retries: 0, backoff: () => 0 },
    signal: () => AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });

  return createScriptedStore({
    evaluate: (script, keys, args) => redis.eval(script, keys, args),
    async scan(cursor, pattern) {
      const [next, keys] = await redis.scan(cursor, { match: pattern, count: 1000 });
      return { cursor: String(next), keys };
    },
    async close() {
      // Each request uses the pool of `fetch`, so there is nothing to close.
    },
  });
}
