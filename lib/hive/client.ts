import { Agent } from "undici";
import { z } from "zod";
import { CodedError } from "../errors.ts";
import { NodeFault } from "./call-node.ts";
import { ChainError } from "./chain-error.ts";
import { type Call, type ChainNode, createChainNode } from "./chain-node.ts";

const ATTEMPT_TIMEOUT_MS = 2000;
const PROBE_EVERY_MS = 15_000;
const REST_AFTER_FAILURE_MS = 30_000;
const MAX_LAG_MS = 15_000;
const BROADCAST = "condenser_api.broadcast_transaction";

export type ReadOptions = {
  /** Ends the read for the caller; the attempt in flight is cut. */
  signal?: AbortSignal;
  /** Limit of one attempt at one node (default: the client's). */
  timeoutMs?: number;
};

export type NodeHealth = {
  host: string;
  isAnswering: boolean;
  chain: ChainNode["chain"];
  headTimeMs: number | null;
};

/** The chain as seen through several nodes. */
export type HiveClient = {
  readonly chainId: string;
  /**
   * Asks the healthiest node, then the next ones until one answers.
   * @throws ChainError for the chain's own refusal, CodedError `chain_unavailable` when no node answers.
   */
  read<T>(method: string, params: unknown, schema: z.ZodType<T>, options?: ReadOptions): Promise<T>;
  /** Like `read`, but answers of two different nodes (of one where only one is set); `orElse` gives a refusal a value. */
  readFromTwo<T>(
    method: string,
    params: unknown,
    schema: z.ZodType<T>,
    options?: ReadOptions & { orElse?: (refusal: ChainError) => T },
  ): Promise<T[]>;
  /**
   * Sends a transaction: to the next node only when the one before gave no answer.
   * @throws ChainError when certainly refused; CodedError `chain_unavailable` otherwise: it may still have been taken.
   */
  broadcast(transaction: object): Promise<void>;
  health(): NodeHealth[];
  close(): Promise<void>;
};

/**
 * Makes a client of the chain `chainId` over `nodes` (addresses, in order of preference); `timeoutMs` limits one attempt.
 * `onFailover` is called whenever a node gave no answer and the next one is asked.
 */
export function createHiveClient(options: {
  nodes: readonly string[];
  chainId: string;
  timeoutMs?: number;
  onFailover?: (call: "read" | "broadcast") => void;
}): HiveClient {
  const { chainId, timeoutMs = ATTEMPT_TIMEOUT_MS, onFailover } = options;
  const agent = new Agent({ connections: 32, connect: { timeout: timeoutMs }, keepAliveTimeout: 4000 });
  const nodes = options.nodes.map((url) => createChainNode(url, chainId, agent));
  let probedAtMs = 0;

  const attempt = <T>(node: ChainNode, call: Call, schema: z.ZodType<T>, given: ReadOptions = {}) => {
    const limit = AbortSignal.timeout(given.timeoutMs ?? timeoutMs);
    return node.call(call, schema, given.signal ? AbortSignal.any([given.signal, limit]) : limit);
  };

  const probeInBackground = () => {
    if (nodes.length < 2 || Date.now() - probedAtMs < PROBE_EVERY_MS) return;
    probedAtMs = Date.now();
    for (const node of nodes)
      node.probe(AbortSignal.timeout(timeoutMs)).catch(() => {
        // The node has noted its failure.
      });
  };

  const inOrder = (): ChainNode[] => {
    probeInBackground();
    const best = Math.max(0, ...nodes.map((node) => node.headTimeMs ?? 0));
    const rank = (node: ChainNode) =>
      (node.chain === "foreign" ? 4 : 0) +
      (node.failedAtMs !== null && Date.now() - node.failedAtMs < REST_AFTER_FAILURE_MS ? 2 : 0) +
      (node.headTimeMs !== null && best - node.headTimeMs > MAX_LAG_MS ? 1 : 0);
    return [...nodes].sort((a, b) => rank(a) - rank(b));
  };

  const firstAnswer = async <T>(
    candidates: Iterable<ChainNode>,
    call: Call,
    schema: z.ZodType<T>,
    given?: ReadOptions,
  ): Promise<T> => {
    const causes: unknown[] = [];
    for (const node of candidates) {
      if (causes.length > 0) onFailover?.(call.method === BROADCAST ? "broadcast" : "read");
      try {
        return await attempt(node, call, schema, given);
      } catch (error) {
        if (given?.signal?.aborted) throw given.signal.reason;
        causes.push(error);
        if (error instanceof ChainError) break;
      }
    }
    const last = causes.pop();
    // A refusal says nothing for certain when a node before may have taken what it refuses.
    const isCertain = !causes.some((cause) => !(cause instanceof NodeFault) || cause.mayHaveArrived);
    if (last instanceof ChainError && (isCertain || call.method !== BROADCAST)) throw last;
    throw new CodedError("chain_unavailable", { cause: last });
  };

  return {
    chainId,
    read: (method, params, schema, given) => firstAnswer(inOrder(), { method, params }, schema, given),
    readFromTwo(method, params, schema, given) {
      // Both share one row of candidates, so no node answers twice.
      const candidates = inOrder().values();
      const call = { method, params };
      const ask = () =>
        firstAnswer(candidates, call, schema, given).catch((error: unknown) => {
          if (given?.orElse && error instanceof ChainError) return given.orElse(error);
          throw error;
        });
      return Promise.all(nodes.slice(0, 2).map(ask));
    },
    async broadcast(transaction) {
      await firstAnswer(inOrder(), { method: BROADCAST, params: [transaction] }, z.unknown());
    },
    health: () =>
      nodes.map(({ host, failedAtMs, chain, headTimeMs }) => ({
        host,
        isAnswering: failedAtMs === null,
        chain,
        headTimeMs,
      })),
    close: () => agent.close(),
  };
}
