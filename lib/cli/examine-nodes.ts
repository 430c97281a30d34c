import { setTimeout as wait } from "node:timers/promises";
import { createClient } from "redis";
import { distinctNodes } from "../chains.ts";
import type { Config, StoreSettings } from "../config.ts";
import { trustNote } from "../hive/agree-among.ts";
import { readChainState } from "../hive/chain-state.ts";
import { createHiveClient } from "../hive/client.ts";
import { storeAdvice } from "../store/lazy-store.ts";
import { openStore } from "../store/open-store.ts";

const CALL_TIMEOUT_MS = 5000;
const MAX_LAG_SECONDS = 30;
const MAX_APART_SECONDS = 5;
/**
 * Blocks come every three seconds, so at least one of this many readings of a healthy node shows a young
 * head.
 */
const READINGS = 3;
const BETWEEN_MS = 1500;

/** A node's answers; `ageMs` is the lowest age of its head by this machine's clock. */
type Look = { headBlock: number; ageMs: number; isMoving: boolean; isMute: boolean };

/**
 * Examines whether each chain node answers, serves our chain and keeps up with the others, whether this
 * machine's clock agrees with them, and how many of them must agree.
 */
export async function examineNodes({ hive }: Pick<Config, "hive">): Promise<Finding[]> {
  const looks = await Promise.all(hive.nodes.map((url) => lookAt(url, hive.chainId)));
  const ages = looks
    .flatMap(({ look }) => (look ? [look.ageMs / 1000] : []))
    .sort((one, other) => one - other);
  const middle = ages[Math.floor(ages.length / 2)];
  const isMoving = looks.some(({ look }) => look?.isMoving);
  const findings = looks.map(({ subject, look, finding }) => {
    if (!look) return finding;
    const behind = Math.round(look.ageMs / 1000 - (ages.length > 2 ? (middle ?? 0) : 0));
    const isApart =
      ages.length > 2 ? Math.abs(behind) > MAX_APART_SECONDS : behind > MAX_LAG_SECONDS && !look.isMoving;
    if (!isApart)
      return fine(
        subject,
        `head block ${look.headBlock}, ${Math.round(look.ageMs / 1000)} s old${look.isMute ? "; it does not report its chain" : ""}`,
      );
    return behind > 0
      ? fault(subject, `is ${behind} s behind`, "Remove it from HIVE_NODES until it has caught up.")
      : fault(
          subject,
          `is ${-behind} s ahead of the others`,
          "Remove it from HIVE_NODES: its answers cannot be trusted.",
        );
  });
  const clock = middle === undefined ? [] : [examineClock(middle, { isMoving, isTold: ages.length > 2 })];
  return [...findings, examineTrust(hive), ...clock];
}

function examineTrust({ nodes, quorum }: Config["hive"]): Finding {
  const origins = distinctNodes(nodes).length;
  const note = trustNote(origins, quorum);
  const rule = `two of ${origins} must agree${origins === 2 ? ": while one is unreachable, nobody can sign in or pay" : ""}`;
  return { ...fine("trust in chain nodes", note ?? rule), isWarning: note !== null };
}

/** `isTold` is true if enough nodes answered to rule out that a single one is at fault. */
function examineClock(
  ageSeconds: number,
  { isMoving, isTold }: { isMoving: boolean; isTold: boolean },
): Finding {
  const seconds = Math.round(Math.abs(ageSeconds));
  const isWrong = ageSeconds < -MAX_APART_SECONDS || (ageSeconds > MAX_APART_SECONDS && isMoving);
  if (!isWrong) return fine("this machine's clock", "agrees with the chain's");
  const where = ageSeconds < 0 ? "behind" : "ahead of";
  return fault(
    "this machine's clock",
    `is ${seconds} s ${where} the chain's`,
    isTold
      ? "Synchronize it (NTP)."
      : "Synchronize it (NTP), unless the node is wrong: name three in HIVE_NODES to find out.",
  );
}

async function lookAt(
  url: string,
  chainId: string,
): Promise<{ subject: string; finding: Finding; look?: Look }> {
  const client = createHiveClient({ nodes: [url], chainId, timeoutMs: CALL_TIMEOUT_MS });
  const subject = `chain node ${new URL(url).host}`;
  try {
    const first = await readChainState(client);
    let last = first;
    let ageMs = Date.now() - first.headTimeMs;
    for (let reading = 1; reading < READINGS && Math.abs(ageMs) > MAX_APART_SECONDS * 1000; reading++) {
      await wait(BETWEEN_MS);
      last = await readChainState(client);
      ageMs = Math.min(ageMs, Date.now() - last.headTimeMs);
    }
    const isMute = client.health()[0]?.chain === "untold";
    const look = { headBlock: last.headBlock, ageMs, isMoving: last.headBlock > first.headBlock, isMute };
    return { subject, look, finding: fine(subject, "answers") };
  } catch {
    const finding =
      client.health()[0]?.chain === "foreign"
        ? fault(subject, "serves another chain", "Correct HIVE_CHAIN_ID, or remove the node from HIVE_NODES.")
        : fault(
            subject,
            "does not answer",
            "Check the address and the network, or remove it from HIVE_NODES.",
          );
    return { subject, finding };
  } finally {
    await client.close();
  }
}

/** Opens the store, writes to it, and asks a Redis server whether it persists writes. */
export async function examineStore(settings: StoreSettings): Promise<Finding[]> {
  const subject = `store (${settings.kind})`;
  try {
    const store = await openStore(settings);
    try {
      await store.ping();
    } finally {
      await store.close();
    }
    const isWritable = fine(subject, "accepts writes");
    return settings.kind === "redis" ? [isWritable, await examineRedis(settings.url.reveal())] : [isWritable];
  } catch {
    return [fault(subject, "cannot be written to", storeAdvice[settings.kind])];
  }
}

const SUBJECT = "store persistence";
const TIMEOUT_MS = 2000;

/** Asks a Redis server whether it retains data across a restart and when its memory is full. */
async function examineRedis(url: string): Promise<Finding> {
  const client = createClient({ url, socket: { connectTimeout: TIMEOUT_MS, reconnectStrategy: false } });
  // The call that fails reports the lost connection.
  client.on("error", () => {});
  try {
    await client.connect();
    return judge(await client.info());
  } catch {
    return fine(
      SUBJECT,
      "is not reported by this server: make sure that it has an append-only file and evicts nothing",
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
      "has no append-only file",
      "Set appendonly yes: with nothing or snapshots alone, a restart forgets payments and sessions.",
    );
  return fine(SUBJECT, "has an append-only file and evicts nothing");
}

/** The result of one check; `advice` says how to fix a problem. */
export type Finding = {
  subject: string;
  isFine: boolean;
  /** True if the subject still works, but may soon fail. */
  isWarning?: boolean;
  detail: string;
  advice?: string;
};

/** Creates a finding without a problem. */
export function fine(subject: string, detail: string): Finding {
  return { subject, isFine: true, detail };
}

/** Creates a finding with a problem. */
export function fault(subject: string, detail: string, advice: string): Finding {
  return { subject, isFine: false, detail, advice };
}

/** Creates a finding that will become a problem if nothing is done. */
export function warning(subject: string, detail: string, advice: string): Finding {
  return { subject, isFine: true, isWarning: true, detail, advice };
}
