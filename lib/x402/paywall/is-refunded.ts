import { caipOf } from "../../chains.ts";
import { isPaidBack } from "../transfer-use.ts";
import type { SettleResponse } from "../types.ts";
import { ClaimStoreError, guardStore } from "./claim-store.ts";
import type { PaywallSettings } from "./options.ts";

/**
 * Returns whether the paywall's store says that the seller has paid a sent transfer back, whose facilitator may not know.
 * @throws ClaimStoreError
 */
export async function isRefunded(
  { store, chainId, network }: Pick<PaywallSettings<never>, "store" | "chainId" | "network">,
  { txId, operation }: SettleResponse,
): Promise<boolean> {
  if (txId === undefined || operation === undefined) return false;
  const caip = chainId === null ? network : caipOf(chainId);
  try {
    return await isPaidBack(guardStore(store), { caip }, { txId, operation });
  } catch (cause) {
    if (cause instanceof ClaimStoreError) throw cause;
    throw new ClaimStoreError("the store returned something other than a use", { cause });
  }
}
