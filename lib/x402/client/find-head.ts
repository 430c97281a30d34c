import { underSignals } from "../../async/time-limits.ts";
import { distinctNodes } from "../../chains.ts";
import { callNode } from "./call-node.ts";

/**
 * Nodes are a block or two apart, and one can answer a block later. If they are further apart, one of them is
 * wrong.
 */
const MAX_APART_BLOCKS = 3;
const MAX_APART_MS = 9000;

/** The fields of a young block that a transaction refers to. */
export type Head = {
  /** True if two nodes agreed, or if only one is configured. */
  isAgreed: boolean;
  refBlockNum: number;
  refBlockPrefix: number;
  /** The chain's time in milliseconds since 1970. */
  timeMs: number;
};

/** One node's answer about its head. */
type NodeHead = { node: string; number: number; id: string; timeMs: number };

/** The reason for a missing head: the nodes contradict each other, or none answers. */
export type HeadFault = "contradiction" | "silence";

/**
 * Finds the chain's time and a young block from the answers of two nodes, if two answer, because a payment
 * that refers to an invented block is refused and counts as spent. All nodes are asked at once, and the first
 * two that agree decide.
 * @throws the signal's reason once it aborts
 */
export async function findHead(nodes: readonly string[], signal?: AbortSignal): Promise<Head | HeadFault> {
  const done = new AbortController();
  const heads: NodeHead[] = [];
  const ask = async (node: string, until: AbortSignal): Promise<Head> => {
    const head = await readNodeHead(node, until);
    const others = [...heads];
    heads.push(head);
    return Promise.any(others.map((other) => agree(head, other, until)));
  };
  const distinct = distinctNodes(nodes);
  try {
    return await underSignals([signal, done.signal], (until) =>
      Promise.any(distinct.map((node) => ask(node, until))),
    );
  } catch {
    if (signal?.aborted) throw signal.reason;
    // If two nodes differ about the time, our own clock decides which one is right.
    const [head, ...more] = heads.length > 1 ? heads.filter(isOfToday) : heads;
    if (head && more.length === 0) return { ...toHead(head), isAgreed: distinct.length === 1 };
    return heads.length > 0 ? "contradiction" : "silence";
  } finally {
    done.abort();
  }
}

const isOfToday = ({ timeMs }: NodeHead) => Math.abs(timeMs - Date.now()) <= MAX_APART_MS;

/**
 * Returns the head on which both nodes agree: their common head, or the block just before the lower head.
 * Rejects if they differ.
 */
async function agree(one: NodeHead, other: NodeHead, signal: AbortSignal): Promise<Head> {
  const isNear =
    Math.abs(one.timeMs - other.timeMs) <= MAX_APART_MS &&
    Math.abs(one.number - other.number) <= MAX_APART_BLOCKS;
  if (!isNear) throw new Error("the nodes' head blocks are too far apart");
  // The earlier of the two times, because facilitators refuse transfers that expire too far ahead.
  const timeMs = Math.min(one.timeMs, other.timeMs);
  if (one.id === other.id) return toHead({ ...one, timeMs });
  const next = Math.min(one.number, other.number);
  const [id, same] = await Promise.all([
    readIdBefore(one.node, next, signal),
    readIdBefore(other.node, next, signal),
  ]);
  if (id !== same) throw new Error("the blocks differ");
  return toHead({ number: next - 1, id, timeMs });
}

async function readNodeHead(node: string, signal: AbortSignal): Promise<NodeHead> {
  const method = "condenser_api.get_dynamic_global_properties";
  const { head_block_number: number, head_block_id: id, time } = await callNode(node, method, [], signal);
  const timeMs = typeof time === "string" ? Date.parse(`${time}Z`) : Number.NaN;
  if (typeof number !== "number" || !isIdOf(number, id) || Number.isNaN(timeMs))
    throw new TypeError("no head block");
  return { node, number, id, timeMs };
}

/** Returns the id of the block before `number`, which that block's header contains. */
async function readIdBefore(node: string, number: number, signal: AbortSignal): Promise<string> {
  const { previous } = await callNode(node, "condenser_api.get_block_header", [number], signal);
  if (!isIdOf(number - 1, previous)) throw new TypeError("no block id");
  return previous;
}

/** Returns whether an id can be that of a block: it begins with the block's number. */
const isIdOf = (number: number, id: unknown): id is string =>
  typeof id === "string" && /^[0-9a-f]{40}$/.test(id) && Number.parseInt(id.slice(0, 8), 16) === number;

const toHead = ({ number, id, timeMs }: Omit<NodeHead, "node">): Head => ({
  isAgreed: true,
  refBlockNum: number & 0xffff,
  refBlockPrefix: prefixOf(id),
  timeMs,
});

/** Returns the second four bytes of a block id, lowest first. */
const prefixOf = (blockId: string): number =>
  [14, 12, 10, 8].reduce(
    (prefix, start) => prefix * 256 + Number.parseInt(blockId.slice(start, start + 2), 16),
    0,
  );
