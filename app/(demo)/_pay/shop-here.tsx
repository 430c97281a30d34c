"use client";

import { createContext, type ReactNode, useContext } from "react";

const Here = createContext(true);

/** Tells the pages whether this server sells articles. */
export function ShopProvider({ isOpen, children }: { isOpen: boolean; children: ReactNode }) {
  return <Here value={isOpen}>{children}</Here>;
}

/** Returns true if this server sells articles: its operator has named an account to pay. */
export const useShopHere = (): boolean => useContext(Here);

/** Shows its children if this server sells articles, or else `otherwise`. */
export function IfShop({ otherwise, children }: { otherwise?: ReactNode; children: ReactNode }) {
  return useShopHere() ? children : otherwise;
}
