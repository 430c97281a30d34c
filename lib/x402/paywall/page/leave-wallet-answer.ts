import { readClaims } from "./kept-claims.ts";

/**
 * Returns to the address of the purchase if a wallet has added the transaction's id to it, because a claim is bound to
 * its address.
 */
export function leaveWalletAnswer(): void {
  const address = new URL(location.href);
  if (!/^[0-9a-f]{40}$/.test(address.searchParams.get("id") ?? "")) return;
  address.searchParams.delete("id");
  if (readClaims(address.href).length > 0) location.replace(address.href);
}
