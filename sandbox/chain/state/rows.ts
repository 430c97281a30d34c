import { parseTransaction } from "../parse/transaction.ts";
import { renderTransaction } from "../render/transaction.ts";
import type { AcceptedTransaction, Account, Community, Symbols } from "../types.ts";

// Rows are JSON that this module alone writes, so reading them back needs no check.

export function writeAccount(account: Account): string {
  return JSON.stringify({ ...account, hbd: account.hbd.toString(), hive: account.hive.toString() });
}

export function readAccount(body: string): Account {
  const row = JSON.parse(body) as Omit<Account, "hbd" | "hive"> & { hbd: string; hive: string };
  return { ...row, hbd: BigInt(row.hbd), hive: BigInt(row.hive) };
}

export function writeCommunity(community: Community): string {
  return JSON.stringify({ ...community, roles: [...community.roles] });
}

export function readCommunity(body: string): Community {
  const row = JSON.parse(body);
  return { ...row, roles: new Map(row.roles) };
}

/** Transactions are kept in the chain's own text form, which is exact for every amount. */
export function writeTransaction(accepted: AcceptedTransaction, symbols: Symbols): string {
  const { id, packing, resourceCost } = accepted;
  const transaction = renderTransaction(accepted.transaction, "text", symbols);
  return JSON.stringify({ id, packing, resourceCost, transaction });
}

export function readTransaction(body: string, symbols: Symbols): AcceptedTransaction {
  const row = JSON.parse(body);
  return { ...row, transaction: parseTransaction(row.transaction, symbols) };
}
