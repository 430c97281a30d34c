import type { StoreSettings } from "../config.ts";
import { storeAdvice } from "../store/await-store.ts";
import { openStore } from "../store/open-store.ts";
import { examineRedis } from "./examine-redis.ts";
import { type Finding, fault, fine } from "./finding.ts";

/** Opens the store and writes to it; a Redis server is asked whether it keeps that. */
export async function examineStore(settings: StoreSettings): Promise<Finding[]> {
  const subject = `store (${settings.kind})`;
  try {
    const store = await openStore(settings);
    try {
      await store.ping();
    } finally {
      await store.close();
    }
    const isWritable = fine(subject, "takes writes");
    return settings.kind === "redis" ? [isWritable, await examineRedis(settings.url.reveal())] : [isWritable];
  } catch {
    return [fault(subject, "can't be written to", storeAdvice[settings.kind])];
  }
}
