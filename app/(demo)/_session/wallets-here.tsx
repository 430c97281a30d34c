"use client";

import { createContext, type ReactNode, useContext } from "react";

/** The wallets outside of this page that the server's operator has set up. */
export type WalletsHere = {
  /** The app for which HiveSigner signs, or null. */
  hivesignerApp: string | null;
  /** The address of HiveAuth's relay, or null. */
  hiveAuthRelay: string | null;
};

const Here = createContext<WalletsHere>({ hivesignerApp: null, hiveAuthRelay: null });

/** Provides the wallets to the pages. */
export function WalletsProvider({ wallets, children }: { wallets: WalletsHere; children: ReactNode }) {
  return <Here value={wallets}>{children}</Here>;
}

/** Returns the wallets that are set up at this server. */
export const useWalletsHere = (): WalletsHere => useContext(Here);
