"use client";

import { createContext, type ReactNode, useContext } from "react";

/** The chain that the server is configured for, and for which this page signs. */
export type ChainHere = {
  /** The chain's name in offers. */
  network: string;
  chainId: string;
  /** Addresses of the chain's nodes, in order of preference. */
  nodes: readonly string[];
  /** True for Hive's main chain, the default of wallets. */
  isMain: boolean;
  /** True for the sandbox's chain, with its accounts. */
  isSandboxs: boolean;
};

const Here = createContext<ChainHere | null>(null);

/** Provides the current chain to the pages. */
export function ChainProvider({ chain, children }: { chain: ChainHere; children: ReactNode }) {
  return <Here value={chain}>{children}</Here>;
}

/** Returns the chain of this page. */
export function useChainHere(): ChainHere {
  const chain = useContext(Here);
  if (!chain) throw new Error("ChainProvider is missing");
  return chain;
}
