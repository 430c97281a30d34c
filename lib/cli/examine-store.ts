import type { StoreSettings } from "../config.ts";
import { openStore } from "../store/open-store.ts";
import { type Finding, fault, fine } from "./finding.ts";

const advice = {
  sqlite: "Make DATA_DIR a folder that this user may write to, on a disk with space left.",
  redis: "Start the Redis server, or correct REDIS_URL.",
  upstash: "Correct UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN.",
};

/** Opens the store and writes to it. */
export async function examineStore(settings: StoreSettings): Promise<Finding> {
  const subject = `store (${settings.kind})`;
  try {
    const store = await openStore(settings);
    try {
      await store.ping();
    } finally {
      await store.close();
    }
    return fine(subject, "takes writes");
  } catch {
    return fault(subject, "can't be written to", advice[settings.kind]);
  }
}
