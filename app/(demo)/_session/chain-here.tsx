"use client";

import { createContext, type ReactNode, useContext } from "react";

/** The chain that the server is set to, which is the one that this page signs for. */
export type ChainHere = {
  /** Its name in offers. */
  network: string;
  chainId: string;
  /** Addresses of its nodes, in order of preference. */
  nodes: readonly string[];
  /** Whether it is Hive's main chain, on which wallets are until somebody says otherwise. */
  isMain: boolean;
  /** Whether it is the sandbox's own, with its accounts. */
  isSandboxs: boolean;
};

const Here = createContext<ChainHere | null>(null);

/** Tells the pages which chain they are on. */
export function ChainProvider({ chain, children }: { chain: ChainHere; children: ReactNode }) {
  return <Here value={chain}>{children}</Here>;
}

/** The chain that this page is on. */
export function useChainHere(): ChainHere {
  const chain = useContext(Here);
  if (!chain) throw new Error("ChainProvider is missing");
  return chain;
}
