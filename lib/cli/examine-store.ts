import { createClient } from "redis";
import type { StoreSettings } from "../config.ts";
import { storeAdvice } from "../store/lazy-store.ts";
import { openStore } from "../store/open-store.ts";

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

const SUBJECT = "store persistence";
const TIMEOUT_MS = 2000;

/** Asks a Redis server whether it keeps what it is given: over a restart, and when its memory is full. */
async function examineRedis(url: string): Promise<Finding> {
  const client = createClient({ url, socket: { connectTimeout: TIMEOUT_MS, reconnectStrategy: false } });
  // The call that fails tells.
  client.on("error", () => {});
  try {
    await client.connect();
    return judge(await client.info());
  } catch {
    return fine(
      SUBJECT,
      "is not told by this server: make sure that it keeps an append-only file and evicts nothing",
    );
  } finally {
    if (client.isOpen) client.destroy();
  }
}

function judge(info: string): Finding {
  const entryOf = (name: string) => new RegExp(`^${name}:(.*)$`, "m").exec(info)?.[1]?.trim();
  const policy = entryOf("maxmemory_policy") ?? "noeviction";
  if (policy !== "noeviction")
    return fault(
      SUBJECT,
      `evicts entries when memory is full (${policy})`,
      "Set maxmemory-policy noeviction: a payment whose entry was evicted could count again.",
    );
  if (entryOf("aof_enabled") === "0")
    return fault(
      SUBJECT,
      "keeps no append-only file",
      "Set appendonly yes: with nothing or snapshots alone, a restart forgets payments and sessions.",
    );
  return fine(SUBJECT, "keeps an append-only file and evicts nothing");
}

/** One thing the doctor looked at; `advice` says what to do about what is not fine. */
export type Finding = {
  subject: string;
  isFine: boolean;
  /** Fine as yet. */
  isWarning?: boolean;
  detail: string;
  advice?: string;
};

/** A finding without a fault. */
export function fine(subject: string, detail: string): Finding {
  return { subject, isFine: true, detail };
}

/** A finding with one. */
export function fault(subject: string, detail: string, advice: string): Finding {
  return { subject, isFine: false, detail, advice };
}

/** A finding that will have one if nothing is done. */
export function warning(subject: string, detail: string, advice: string): Finding {
  return { subject, isFine: true, isWarning: true, detail, advice };
}
