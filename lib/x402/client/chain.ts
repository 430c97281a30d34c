import { MAINNET_CHAIN_ID, MAINNET_NODES, networkNames } from "../network.ts";

/** Which chain the payer is on. */
export type ChainOptions = {
  /** Addresses of chain nodes, in order of preference; the public ones by default. */
  nodes?: readonly string[];
  /** 64 hex digits; the main chain's by default. */
  chainId?: string;
  /** Name of the network in offers, where it is none of the usual ones. */
  network?: string;
};

export type Chain = { nodes: readonly string[]; chainId: string; networks: readonly string[] };

/**
 * Where to read the chain's time, what to sign for, and which offers are for this chain.
 * @throws TypeError for a malformed chain id.
 */
export function toChain({ nodes, chainId = MAINNET_CHAIN_ID, network }: ChainOptions): Chain {
  if (!/^[0-9a-f]{64}$/.test(chainId)) throw new TypeError("chainId must be 64 hex digits");
  const usual =
    chainId === MAINNET_CHAIN_ID ? networkNames("chain:mainnet", chainId) : [`hive:${chainId.slice(0, 32)}`];
  // A sandbox's offers are only for those who point at a sandbox's nodes.
  const sandbox = nodes || chainId !== MAINNET_CHAIN_ID ? ["chain:sandbox"] : [];
  return {
    nodes: nodes ?? MAINNET_NODES,
    chainId,
    networks: [...usual, ...sandbox, ...(network === undefined ? [] : [network])],
  };
}
