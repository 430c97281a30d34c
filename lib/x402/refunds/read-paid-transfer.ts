import { ChainError, isUnknownMethod, NodeFault } from "../../hive/chain-node.ts";
import type { ChainReader } from "../../hive/chain-reader.ts";
import type { HiveClient } from "../../hive/client.ts";
import { SignedTransaction } from "../schemas.ts";
import { readTransfer, type SignedTransfer } from "../transfer.ts";

/** A transaction as nodes return it, of which nothing but the signed part counts. */
const Transaction = SignedTransaction.strip();

/**
 * Reads the HBD transfer with an id from the chain, or returns `null` if two nodes have no such transfer. The
 * id is a hash of the content, so no node can pass off another transfer under it, and the first node that has
 * the transfer is enough. Many nodes serve only a part of the history, or none.
 * @throws CodedError `chain_unavailable`
 */
export async function readPaidTransfer(client: HiveClient, txId: string): Promise<SignedTransfer | null> {
  let without = 0;
  const look = async (node: ChainReader): Promise<SignedTransfer> => {
    const found = await readTransferAt(node, txId);
    if (found) return found;
    without++;
    throw new NodeFault("no such transfer", { mayHaveArrived: true });
  };
  try {
    const [found] = await client.agree(look, { needsSecond: () => false });
    return found;
  } catch (error) {
    if (without >= Math.min(2, client.health().length)) return null;
    throw error;
  }
}

async function readTransferAt(node: ChainReader, txId: string): Promise<SignedTransfer | null> {
  try {
    const found = await node
      .read("account_history_api.get_transaction", { id: txId, include_reversible: true }, Transaction)
      .catch((error: unknown) => {
        if (!isUnknownMethod(error)) throw error;
        return node.read("condenser_api.get_transaction", [txId], Transaction);
      });
    const transfer = readTransfer(found);
    if (typeof transfer === "string") return null;
    return transfer.ids.legacy === txId || transfer.ids.hf26 === txId ? transfer : null;
  } catch (error) {
    if (error instanceof ChainError && !isUnknownMethod(error)) return null;
    throw error;
  }
}
