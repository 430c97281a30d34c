import { readJson } from "../read-json.ts";
import { PaymentError } from "./payment-error.ts";

const NODE_TIMEOUT_MS = 2500;
const REQUEST = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "condenser_api.get_dynamic_global_properties",
  params: [],
});

/** The newest block as far as a transaction refers to it. */
export type Head = {
  refBlockNum: number;
  refBlockPrefix: number;
  /** The chain's time, milliseconds since 1970. */
  timeMs: number;
};

/**
 * Reads the head block from the first node that answers in time.
 * @throws PaymentError `chain_unavailable` when none does.
 */
export async function readHead(nodes: readonly string[], signal?: AbortSignal): Promise<Head> {
  let cause: unknown;
  for (const node of nodes) {
    try {
      return await askNode(node, signal);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      cause = error;
    }
  }
  throw new PaymentError("chain_unavailable", "No chain node answers, so nothing can be signed.", { cause });
}

async function askNode(node: string, signal: AbortSignal | undefined): Promise<Head> {
  const limit = AbortSignal.timeout(NODE_TIMEOUT_MS);
  const response = await fetch(node, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: REQUEST,
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  });
  const answer = (await readJson(response)) as { result?: Record<string, unknown> } | null;
  const { head_block_number: number, head_block_id: id, time } = answer?.result ?? {};
  const timeMs = typeof time === "string" ? Date.parse(`${time}Z`) : Number.NaN;
  if (
    typeof number !== "number" ||
    typeof id !== "string" ||
    !/^[0-9a-f]{40}$/.test(id) ||
    Number.isNaN(timeMs)
  )
    throw new TypeError("the node's answer has no head block");
  return { refBlockNum: number & 0xffff, refBlockPrefix: prefixOf(id), timeMs };
}

/** The second four bytes of a block id, lowest first. */
function prefixOf(blockId: string): number {
  const bytes = [8, 10, 12, 14].map((start) => Number.parseInt(blockId.slice(start, start + 2), 16));
  return bytes.reduceRight((prefix, byte) => prefix * 256 + byte, 0);
}
