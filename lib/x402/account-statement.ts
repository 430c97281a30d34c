import { CodedError } from "../errors.ts";
import { readAccounts } from "../hive/accounts.ts";
import type { ChainReader, ReadOptions } from "../hive/chain-reader.ts";
import { type HbdTransfer, readHbdTransfers } from "../hive/transfer-history.ts";
import { formatMils } from "../mils.ts";

const MAX_TRANSFERS = 1000;

/** A transfer that paid for a resource, from the account's point of view. */
export type StatedPayment = Omit<HbdTransfer, "memo" | "operation"> & {
  direction: "paid" | "earned";
  /** The refunded payment, if the transfer is a refund: its transaction and, unless it is the first, its index there. */
  refundOf?: string;
  /** The transfer that paid the payment back. */
  refundedBy?: string;
};

const REFUND = /^x402:re(?:fund|turn):(([0-9a-f]{40})(?::[1-9]\d{0,3})?)$/;

/** Returns the id of a payment, as its refund names it. */
const idOf = ({ txId, operation }: HbdTransfer) => (operation === 0 ? txId : `${txId}:${operation}`);

/**
 * Reads an account's balances, and the newest `limit` x402 payments among its last 1000 transfers, newest first.
 * @throws CodedError `not_found` for an account that does not exist on the chain, `chain_unavailable`
 */
export async function readStatement(
  chain: ChainReader,
  account: string,
  limit: number,
  options?: ReadOptions,
): Promise<{ account: string; balance: string; payments: StatedPayment[] }> {
  const [accounts, transfers] = await Promise.all([
    readAccounts(chain, [account], options),
    readHbdTransfers(chain, account, MAX_TRANSFERS, options),
  ]);
  const found = accounts.get(account);
  if (!found) throw new CodedError("not_found");
  const refunds = findRefunds(transfers);
  const payments = transfers
    .filter(({ memo }) => memo.startsWith("x402:"))
    .slice(0, limit)
    .map((transfer): StatedPayment => {
      const { memo, operation, ...payment } = transfer;
      const refundOf = REFUND.exec(memo)?.[1];
      const refundedBy = refunds.get(idOf(transfer));
      return {
        ...payment,
        direction: payment.from === account ? "paid" : "earned",
        ...(refundOf !== undefined && { refundOf }),
        ...(refundedBy !== undefined && { refundedBy }),
      };
    });
  return { account, balance: formatMils(found.hbdMils), payments };
}

/**
 * Returns the transfers that pay others of these back, by the refunded payment. Anyone can write a memo, so a
 * refund counts only from the account that was paid to the one that paid. A return names only the transaction, of which
 * each transfer is returned on its own.
 */
function findRefunds(transfers: readonly HbdTransfer[]): Map<string, string> {
  const byTransaction = new Map<string, HbdTransfer[]>();
  for (const transfer of transfers) {
    const { txId } = transfer;
    byTransaction.set(txId, [...(byTransaction.get(txId) ?? []), transfer]);
  }
  const refunds = new Map<string, string>();
  for (const { txId, from, to, amount, memo } of transfers) {
    const [, named = "", transaction = ""] = REFUND.exec(memo) ?? [];
    const candidates = (byTransaction.get(transaction) ?? []).filter(
      (each) =>
        (named === transaction || named === idOf(each)) &&
        each.from === to &&
        each.to === from &&
        !refunds.has(idOf(each)),
    );
    const refunded = candidates.find((each) => each.amount === amount) ?? candidates.at(-1);
    if (refunded) refunds.set(idOf(refunded), txId);
  }
  return refunds;
}

/** Reads the balances of accounts, such as "0.050 HBD", by name. @throws CodedError `chain_unavailable` */
export async function readBalances(
  chain: ChainReader,
  names: readonly string[],
): Promise<Map<string, string>> {
  const accounts = await readAccounts(chain, names);
  return new Map([...accounts].map(([name, { hbdMils }]) => [name, formatMils(hbdMils)]));
}
