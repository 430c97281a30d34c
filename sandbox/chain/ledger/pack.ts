import { type Packing, packTransaction } from "../../../lib/hive/packing.ts";
import type { SignedTransaction, Symbols } from "../types.ts";

/** Packs a transaction as the network with these symbols does: mainnet alone has its names from before the fork in it. */
export function packFor(symbols: Symbols, transaction: SignedTransaction, packing: Packing): Uint8Array {
  return symbols.hbd === "HBD"
    ? packTransaction(transaction, packing)
    : packTransaction(transaction, packing, symbols);
}
