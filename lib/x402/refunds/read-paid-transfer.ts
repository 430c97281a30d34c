import { ChainError, isUnknownMethod } from "../../hive/chain-node.ts";
import type { HiveClient } from "../../hive/client.ts";
import { readTransfer, type SignedTransfer } from "../transfer.ts";
import { SignedTransaction } from "../types.ts";

/** A transaction as nodes return it, of which nothing but the signed part counts. */
const Transaction = SignedTransaction.strip();

/**
 * Reads the HBD transfer with an id from the chain, or returns `null` if the id belongs to none. The id is a
 * hash of the content, so no node can pass off another transfer under it.
 * @throws CodedError `chain_unavailable`
 */
export async function readPaidTransfer(client: HiveClient, txId: string): Promise<SignedTransfer | null> {
  try {
    const found = await client
      .read("account_history_api.get_transaction", { id: txId, include_reversible: true }, Transaction)
      .catch((error: unknown) => {
        if (!isUnknownMethod(error)) throw error;
        return client.read("condenser_api.get_transaction", [txId], Transaction);
      });
    const transfer = readTransfer(found);
    if (typeof transfer === "string") return null;
    return transfer.ids.legacy === txId || transfer.ids.hf26 === txId ? transfer : null;
  } catch (error) {
    if (error instanceof ChainError) return null;
    throw error;
  }
}
