import { CodedError } from "../../errors.ts";
import type { HiveClient } from "../../hive/client.ts";
import { countOf, type MemoTransfer, readTransferBlock } from "../../hive/memo-transfers.ts";
import { findTransaction, isSamePlace } from "../../hive/transaction-status.ts";
import { parseMils } from "../../mils.ts";
import type { ChainClock } from "../facilitator/chain-clock.ts";
import { nonceOf } from "../header.ts";
import { RefundError } from "./refund-error.ts";
import { isRefundable, notPaidTo } from "./refundable.ts";

/** A payment's id as sellers give it: the id of its transaction, and the index of its operation unless it is alone. */
export function parsePaymentName(name: string): { txId: string; operation?: number } | null {
  const [, txId, operation] = /^([0-9a-f]{40})(?::(0|[1-9]\d?))?$/.exec(name) ?? [];
  if (txId === undefined) return null;
  return operation === undefined ? { txId } : { txId, operation: Number(operation) };
}

/**
 * Returns the transfer of either coin with which a transaction paid the account, once two nodes have it in a block that
 * no fork can undo. Without `operation`, it must be the only one, or the only payment in HBD.
 * @throws RefundError
 */
export async function findPaidOperation(
  client: HiveClient,
  { clock, account }: { clock: ChainClock; account: string },
  { txId, operation }: { txId: string; operation?: number },
): Promise<MemoTransfer> {
  const [status] = await client.agree((node) => findTransaction(node, { id: txId, expirationMs: 0 }), {
    isSame: isSamePlace,
  });
  if (status.kind !== "included")
    throw new RefundError("payment_not_found", "The chain has no transfer with this id.");
  const { blockNum } = status;
  if ((await clock(0)).irreversibleBlock < blockNum)
    throw new RefundError(
      "payment_not_final",
      "Two nodes do not have the payment in a block that no fork can undo yet; try again in a minute.",
    );
  const [block] = await client.agree((node) => readTransferBlock(node, blockNum, () => true));
  // Nodes that are behind have no such block, which says nothing about the payment.
  if (!block) throw new CodedError("chain_unavailable", { cause: new Error("a block is missing") });
  const received = block.transfers.filter(
    (transfer) => transfer.txId === txId && isRefundable(transfer, account) && countOf(transfer) > 0n,
  );
  const payments = received.filter(isPayment);
  const named = received.filter((transfer) => transfer.operation === operation);
  const alone = payments.length > 0 ? payments : received;
  const [first, ...others] = operation === undefined ? alone : named;
  if (!first) throw notPaidTo(account);
  if (others.length > 0)
    throw new RefundError(
      "operation_missing",
      `The transaction paid ${account} several times: add a colon and the index of the operation to its id.`,
    );
  return first;
}

/** Returns whether a transfer is a payment for a resource, which comes before whatever else its transaction sent. */
const isPayment = ({ memo, amount }: MemoTransfer): boolean =>
  nonceOf(memo) !== undefined && parseMils(amount) !== null;
