import { Agent, type Dispatcher } from "undici";
import { z } from "zod";
import { createSharedLimit, type SharedLimit } from "../async/shared-limit.ts";
import { underSignals } from "../async/time-limits.ts";
import { distinctNodes } from "../chains.ts";
import { CodedError, hasCode } from "../errors.ts";
import { type Agreement, type AgreeOptions, agreeAmong } from "./agree-among.ts";
import {
  ChainError,
  type ChainNode,
  createChainNode,
  isChainRefusal,
  isDuplicateTransaction,
  NodeFault,
  rankNodes,
} from "./chain-node.ts";
import type { ChainReader, ReadOptions } from "./chain-reader.ts";
import { createLatestResult } from "./latest-result.ts";

const ATTEMPT_TIMEOUT_MS = 2000;
const PROBE_EVERY_MS = 15_000;

export type NodeHealth = {
  host: string;
  isAnswering: boolean;
  chain: ChainNode["chain"];
  headTimeMs: number | null;
};

export type BroadcastOptions = Pick<ReadOptions, "signal" | "turn"> & {
  /** Hosts, as in ChainError's `host`, to skip because their answer is already known. */
  except?: readonly string[];
};

/** Reads the chain through several nodes. */
export type HiveClient = ChainReader & {
  readonly chainId: string;
  /**
   * Asks two nodes in parallel and resolves with their answers if they agree, or with one answer if one node
   * is configured. A node that refuses or does not answer is replaced by the next one. If the two answers
   * differ, a third node decides. Everything that decides about access or money is read this way.
   * @throws CodedError `chain_unavailable` if no two agree
   */
  agree<T>(look: (node: ChainReader) => Promise<T>, options?: AgreeOptions<T>): Promise<Agreement<T>>;
  /**
   * Sends a transaction. Tries the next node only if the previous one neither accepted it nor returned the
   * chain's refusal.
   * @throws ChainError if the chain refused it (`isChainRefusal`) or already has it; CodedError
   * `chain_unavailable` otherwise, in which case it may still have been accepted
   */
  broadcast(transaction: object, options?: BroadcastOptions): Promise<void>;
  health(): NodeHealth[];
  /** Aborts the calls in flight. */
  close(): Promise<void>;
};

/**
 * Creates a client of the chain `chainId` over `nodes` (addresses in order of preference; the same host and
 * port count as one node). `timeoutMs` limits one attempt. `onFailover` is called when a node does not answer
 * and the next one is asked. If a `dispatcher` is given, it carries the calls and stays open when the client
 * closes.
 */
export function createHiveClient(options: {
  nodes: readonly string[];
  chainId: string;
  timeoutMs?: number;
  onFailover?: (call: "read" | "broadcast") => void;
  /** Called at the start of each call to a node. The returned function is called at its end. */
  onCall?: (call: {
    method: string;
    host: string;
  }) => ((outcome: "ok" | "refused" | "no_answer") => void) | undefined;
  dispatcher?: Dispatcher;
}): HiveClient {
  const { chainId, timeoutMs = ATTEMPT_TIMEOUT_MS, onFailover } = options;
  const dispatcher =
    options.dispatcher ??
    new Agent({ connections: 32, connect: { timeout: timeoutMs }, keepAliveTimeout: 4000 });
  const ours = { chainId, dispatcher, latestAccounts: createLatestResult() };
  const nodes = distinctNodes(options.nodes).map((url) => createChainNode(url, ours));
  const closing = new AbortController();
  let probedAtMs = Number.NEGATIVE_INFINITY;

  /** Calls that begin in the same turn of the event loop share a limit, because each costs a timer. */
  const limits = new Map<number, SharedLimit>();
  const limitOf = (ms: number): SharedLimit => {
    const present = limits.get(ms);
    if (present) return present;
    if (limits.size === 0) setImmediate(() => limits.clear());
    const limit = createSharedLimit(AbortSignal.timeout(ms), closing.signal);
    limits.set(ms, limit);
    return limit;
  };

  const readerOf = (node: ChainNode, signal?: AbortSignal): ChainReader => ({
    read(method, params, shape, given = {}) {
      const { timeout, under } = limitOf(given.timeoutMs ?? timeoutMs);
      const tellEnd = options.onCall?.({ method, host: node.host });
      const answer = node.call({ method, params }, shape, under(given.signal, signal));
      const held = [timeout];
      const end = (outcome: "ok" | "refused" | "no_answer") => {
        // Until here, because Node 20 garbage-collects a timeout that only `AbortSignal.any` follows.
        held.length = 0;
        tellEnd?.(outcome);
      };
      answer.then(
        () => end("ok"),
        (error: unknown) => end(error instanceof ChainError ? "refused" : "no_answer"),
      );
      return answer;
    },
  });

  const probeInBackground = () => {
    if (nodes.length < 2 || performance.now() - probedAtMs < PROBE_EVERY_MS) return;
    probedAtMs = performance.now();
    for (const node of nodes)
      underSignals([AbortSignal.timeout(timeoutMs), closing.signal], node.probe).catch(() => {
        // The node has already recorded its own failure.
      });
  };

  const inOrder = (turn?: number): ChainNode[] => {
    probeInBackground();
    return rankNodes(nodes, performance.now(), turn);
  };

  /** Returns the first answer, or the faults of all the nodes that were tried, in order. */
  const firstAnswer = async <T>(
    kind: "read" | "broadcast",
    given: ReadOptions & BroadcastOptions = {},
    ask: (node: ChainReader) => Promise<T>,
    isFinal: (error: ChainError) => boolean = () => true,
  ): Promise<{ answer: T } | { causes: unknown[] }> => {
    const causes: unknown[] = [];
    for (const node of inOrder(given.turn)) {
      if (given.except?.includes(node.host)) continue;
      if (causes.length > 0) onFailover?.(kind);
      try {
        return { answer: await ask(readerOf(node)) };
      } catch (error) {
        if (given.signal?.aborted) throw given.signal.reason;
        causes.push(error);
        if (error instanceof ChainError && isFinal(error)) break;
      }
    }
    return { causes };
  };

  return {
    chainId,
    async read(method, params, shape, given) {
      const found = await firstAnswer("read", given, (node) => node.read(method, params, shape, given));
      if ("answer" in found) return found.answer;
      const last = found.causes.at(-1);
      throw last instanceof ChainError ? last : new CodedError("chain_unavailable", { cause: last });
    },
    agree: (look, given = {}) =>
      agreeAmong(
        inOrder(given.turn).map((node) => readerOf(node, given.signal)),
        look,
        { ...given, onSkip: () => onFailover?.("read"), isSilence },
      ),
    async broadcast(transaction, given) {
      const method = "condenser_api.broadcast_transaction";
      const send = (node: ChainReader) => node.read(method, [transaction], z.unknown(), given);
      const isFinal = (error: ChainError) => isChainRefusal(error) || isDuplicateTransaction(error);
      const found = await firstAnswer("broadcast", given, send, isFinal);
      if ("answer" in found) return;
      const last = found.causes.pop();
      // The refusal is not certain, because a previous node may have accepted the transaction.
      const mayBeTaken = found.causes.some((cause) => !(cause instanceof NodeFault) || cause.mayHaveArrived);
      if (last instanceof ChainError && isFinal(last) && !mayBeTaken) throw last;
      throw new CodedError("chain_unavailable", { cause: last });
    },
    health: () =>
      nodes.map(({ host, failedAtMs, chain, head }) => ({
        host,
        isAnswering: failedAtMs === null,
        chain,
        headTimeMs: head?.timeMs ?? null,
      })),
    async close() {
      closing.abort();
      if (!options.dispatcher) await dispatcher.close();
    },
  };
}

/**
 * Returns whether a node gave no usable answer: one that refuses or answers nonsense is worth no more than
 * one that does not answer.
 */
function isSilence(error: unknown): boolean {
  const isAway = hasCode(error, "chain_unavailable");
  return isAway || error instanceof NodeFault || error instanceof ChainError;
}
