import { setTimeout as sleep } from "node:timers/promises";
import type { StoreSettings } from "../config.ts";
import { log } from "../log.ts";
import type { Store } from "./store.ts";

const ASK_EVERY_MS = 1000;

/** What an operator can do about a store that takes no writes. */
export const storeAdvice: Record<StoreSettings["kind"], string> = {
  sqlite: "Make DATA_DIR a folder that this user may write to, on a disk with space left.",
  redis: "Start the Redis server, or correct REDIS_URL.",
  upstash: "Correct UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN.",
};

/** Resolves once the store takes writes, asking every second; the log tells when it does not, and when it does again. */
export async function awaitStore(
  store: Store,
  kind: StoreSettings["kind"],
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await store.ping();
      if (failures > 0) log().info("the store takes writes now");
      return;
    } catch (error) {
      const cause = String((error as { cause?: { message?: unknown } }).cause?.message);
      if (failures === 0)
        log().warn(
          { cause },
          `the store takes no writes: requests get 503 until it does. ${storeAdvice[kind]}`,
        );
    }
    await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
