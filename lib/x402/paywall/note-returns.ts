import { noteInBook } from "../return-book.ts";
import type { TransferReturn, TransferToReturn } from "../types.ts";
import { ClaimStoreError, guardStore } from "./claim-store.ts";
import type { PaywallSettings } from "./options.ts";

/**
 * Writes transfers that bought nothing into the seller's books, and has them sent back if the seller gave a signer.
 * @throws ClaimStoreError if they may not have been written
 */
export async function noteReturns(
  { store, networks, refunds }: PaywallSettings<never>,
  payTo: string,
  transfers: readonly TransferToReturn[],
): Promise<TransferReturn[]> {
  if (transfers.length === 0) return [];
  const [network = ""] = networks;
  const signer = refunds?.account === payTo ? refunds : undefined;
  try {
    const book = { network, account: payTo };
    const guarded = guardStore(store);
    await Promise.all(transfers.map((transfer) => noteInBook(guarded, book, transfer)));
  } catch (cause) {
    throw new ClaimStoreError("the transfers may not be in the books", { cause });
  }
  for (const transfer of transfers)
    signer?.giveBack(transfer).catch(() => {
      // The transfer stays in the books, and `recover` of the refunds sends it.
    });
  return transfers.map(({ blockNum: _place, ...transfer }) => ({
    ...transfer,
    state: signer ? "sending" : "noted",
  }));
}
