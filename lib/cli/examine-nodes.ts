import type { Config } from "../config.ts";
import { createHiveClient } from "../hive/client.ts";
import { readChainState } from "../hive/read-chain-state.ts";
import { type Finding, fault, fine } from "./finding.ts";

const CALL_TIMEOUT_MS = 5000;
const MAX_LAG_SECONDS = 30;

/** Asks each chain node by itself: does it answer, is it our chain, how far is it behind. */
export function examineNodes({ hive }: Config): Promise<Finding[]> {
  return Promise.all(hive.nodes.map((url) => examineNode(url, hive.chainId)));
}

async function examineNode(url: string, chainId: string): Promise<Finding> {
  const client = createHiveClient({ nodes: [url], chainId, timeoutMs: CALL_TIMEOUT_MS });
  const subject = `chain node ${new URL(url).host}`;
  try {
    const { headTimeMs, headBlock } = await readChainState(client);
    const lagSeconds = Math.round((Date.now() - headTimeMs) / 1000);
    if (Math.abs(lagSeconds) <= MAX_LAG_SECONDS)
      return fine(subject, `head block ${headBlock}, ${lagSeconds} s old`);
    return lagSeconds > 0
      ? fault(subject, `is ${lagSeconds} s behind`, "Take it out of HIVE_NODES until it has caught up.")
      : fault(subject, `is ${-lagSeconds} s ahead`, "Set this machine's clock (NTP).");
  } catch {
    return client.health()[0]?.chain === "foreign"
      ? fault(subject, "serves another chain", "Correct HIVE_CHAIN_ID, or take the node out of HIVE_NODES.")
      : fault(subject, "does not answer", "Check the address and the network, or take it out of HIVE_NODES.");
  } finally {
    await client.close();
  }
}
