import { readClaims } from "./kept-claims.ts";

/** The transaction's id as a wallet adds it to an address. */
const ANSWER = /([?&])id=[0-9a-f]{40}(&|$)/;

/**
 * Returns to the address of the purchase if a wallet has added the transaction's id to it, because a claim is bound to
 * its address, to the letter.
 */
export function leaveWalletAnswer(): void {
  const address = new URL(location.href);
  if (!ANSWER.test(address.search)) return;
  // `searchParams` would write the other parameters anew.
  address.search = address.search.replace(ANSWER, (_answer, before, after) => (after === "" ? "" : before));
  if (readClaims(address.href).length > 0) location.replace(address.href);
}
