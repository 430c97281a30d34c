import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { CodedError } from "../../errors.ts";
import { isUnknownMethod } from "../../hive/chain-node.ts";
import type { HiveClient } from "../../hive/client.ts";
import { type MemoTransfer, readMemoBlocks, readTransferBlock } from "../../hive/memo-transfers.ts";
import { findTransaction } from "../../hive/transaction-status.ts";
import type { ChainClock } from "../facilitator/chain-clock.ts";
import { SignedTransaction } from "../schemas.ts";
import { holdsTicketMemo } from "../ticket-memo.ts";
import { readTransfer } from "../transfer.ts";
import type { TransferToReturn } from "../types.ts";
import { RefundError } from "./refund-error.ts";

/** Number of times that the chain is asked whether no fork can undo the transfer. */
const MAX_TRIES = 120;
/** Enough for the transfers of a busy account in months. */
const MAX_TRANSFERS = 100_000;

/**
 * Returns a transfer that was sent to the account with a ticket's memo, also with whitespace around it, once two nodes
 * have it in a block that no fork can undo. What the caller knows about the transfer is only a hint.
 * @throws RefundError
 */
export async function findSentTransfer(
  client: HiveClient,
  { clock, account, pollMs }: { clock: ChainClock; account: string; pollMs: number },
  { txId, operation, blockNum }: Pick<TransferToReturn, "txId" | "operation" | "blockNum">,
): Promise<MemoTransfer> {
  const readAt = async (place: number): Promise<MemoTransfer | undefined> => {
    const [block] = await client.agree((node) => readTransferBlock(node, place, holdsTicketMemo));
    // Nodes that are behind have no such block, which says nothing about the transfer.
    if (!block) throw new CodedError("chain_unavailable", { cause: new Error("a block is missing") });
    return block.transfers.find((one) => one.txId === txId && one.operation === operation);
  };
  await untilFinal(clock, blockNum, pollMs);
  let found = await readAt(blockNum);
  if (!found) {
    // After a fork, the transfer is in another block.
    const [status] = await client.agree((node) => findTransaction(node, { id: txId, expirationMs: 0 }));
    if (status.kind === "included") {
      await untilFinal(clock, status.blockNum, pollMs);
      found = await readAt(status.blockNum);
    }
  }
  if (!found) throw new RefundError("payment_not_found", "The chain has no such transfer.");
  if (found.to !== account || found.from === account)
    throw new RefundError("not_paid_to_account", `The transfer is not a payment to ${account}.`);
  return found;
}

const Transactions = z.object({
  transaction_ids: z.array(z.string()),
  transactions: z.array(z.unknown()),
});
const WrappedTransactions = z.object({ block: Transactions }).transform(({ block }) => block);
/** A transaction in a block, of which nothing but the signed part counts. */
const Transaction = SignedTransaction.strip();

/**
 * Returns the id under which a return of the transfer is recorded, which is that of a refund by the seller's own
 * decision, if there can be one. Two nodes show the block, so the id is always the same.
 */
export async function readPaymentId(
  client: HiveClient,
  { txId, operation, blockNum }: MemoTransfer,
): Promise<string> {
  const [legacyId] = await client.agree(async (node) => {
    const { transaction_ids: ids, transactions } = await node
      .read("condenser_api.get_block", [blockNum], Transactions)
      .catch((error: unknown) => {
        if (!isUnknownMethod(error)) throw error;
        return node.read("block_api.get_block", { block_num: blockNum }, WrappedTransactions);
      });
    const { data } = Transaction.safeParse(transactions[ids.indexOf(txId)]);
    const transfer = data && readTransfer(data);
    return transfer && typeof transfer !== "string" ? transfer.ids.legacy : null;
  });
  return legacyId ?? `${txId}${operation > 0 ? `:${operation}` : ""}`;
}

async function untilFinal(clock: ChainClock, blockNum: number, pollMs: number): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if ((await clock(0)).irreversibleBlock >= blockNum) return;
    await wait(pollMs, undefined, { ref: false });
  }
  throw new RefundError(
    "payment_not_final",
    "Two nodes do not have the payment in a block that no fork can undo yet; try again in a minute.",
  );
}

/** Counts the transfers from an account to another with any of these memos, according to two nodes. */
export async function countSent(
  client: HiveClient,
  account: string,
  { to, memos, sinceMs }: { to: string; memos: readonly string[]; sinceMs: number },
): Promise<number> {
  const wanted = {
    ...{ sinceMs, maxTransfers: MAX_TRANSFERS },
    isWanted: (sent: { to: string; memo: string }) => sent.to === to && memos.includes(sent.memo),
  };
  const [sent] = await client.agree((node) => readMemoBlocks(node, account, wanted));
  return sent.length;
}
