import { createClient } from "redis";
import { type Finding, fault, fine } from "./finding.ts";

const SUBJECT = "store persistence";
const TIMEOUT_MS = 2000;

/** Asks a Redis server whether it keeps what it is given: over a restart, and when its memory is full. */
export async function examineRedis(url: string): Promise<Finding> {
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
