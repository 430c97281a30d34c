import {
  chainIdOf,
  fitNetwork,
  isChainId,
  MAINNET_CHAIN_ID,
  MAINNET_NODES,
  networkNames,
} from "../../chains.ts";
import { isWebAddress } from "../check-options.ts";
import type { Head } from "./find-head.ts";
import { PaymentError } from "./payment-error.ts";
import { readHead } from "./read-head.ts";

/** Selects the payer's chain. */
export type ChainOptions = {
  /** Addresses of chain nodes, in order of preference; the public ones of the main chain by default. */
  nodes?: readonly string[];
  /** The chain's id, 64 hex digits; the main chain's by default. */
  chainId?: string;
  /** The chain's network name, which can replace `chainId` if it is unambiguous, such as `chain:sandbox`. */
  network?: string;
};

export type Chain = { nodes: readonly string[]; chainId: string; networks: readonly string[] };

/**
 * Returns the id and every name of the chain. Offers under other names are for other chains.
 * @throws TypeError for a malformed chain id, and for a network other than the chain's
 */
export function readChain({ chainId, network }: ChainOptions): Omit<Chain, "nodes"> {
  const id = chainId ?? (network === undefined ? MAINNET_CHAIN_ID : chainIdOf(network));
  if (id === null) throw new TypeError("network does not identify the chain: pass chainId");
  if (!isChainId(id)) throw new TypeError("chainId must be 64 hex digits");
  fitNetwork(network, id);
  return { chainId: id, networks: networkNames(id) };
}

/**
 * Returns the nodes that report the chain's time, the id to sign for, and the names of offers for this chain.
 * @throws TypeError as `readChain` does, for nodes that are not addresses, and for a chain other than the
 * main one without nodes
 */
export function toChain(options: ChainOptions): Chain {
  const chain = readChain(options);
  const { nodes = chain.chainId === MAINNET_CHAIN_ID ? MAINNET_NODES : [] } = options;
  if (!Array.isArray(nodes) || nodes.length === 0 || !nodes.every(isWebAddress))
    throw new TypeError("nodes must be a list of at least one node's address");
  return { ...chain, nodes };
}

/** The chain's clock, according to the payer's last reading. */
export type ChainTime = {
  /** Reads the head for a new payment. @throws PaymentError as `readHead` does */
  readHead(signal: AbortSignal): Promise<Head>;
  /**
   * Returns the chain's time in ms since 1970: the time of the last head on which two nodes agreed (if two
   * are configured), advanced by a monotonic clock.
   * @throws PaymentError `chain_unavailable` if no such head has been read yet and none can be read now
   */
  now(): Promise<number>;
};

/** Creates the clock of the chain that `nodes` (addresses) serve. */
export function createChainTime(nodes: readonly string[]): ChainTime {
  let last: { timeMs: number; readAtMs: number } | null = null;
  const read = async (signal?: AbortSignal) => {
    const head = await readHead(nodes, signal);
    if (head.isAgreed) last = { timeMs: head.timeMs, readAtMs: performance.now() };
    return head;
  };
  return {
    readHead: read,
    async now() {
      if (!last) await read();
      if (!last) throw new PaymentError("chain_unavailable", "No two nodes agree on the time.");
      return last.timeMs + performance.now() - last.readAtMs;
    },
  };
}
