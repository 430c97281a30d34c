import { parseAsset } from "../hive/asset-text.ts";
import type { Store } from "../store/store.ts";
import { TransferToReturn } from "./schemas.ts";
import type { TransferToReturn as Transfer } from "./types.ts";

/** The most transfers of one size in a list. */
const MOST_LISTED = 10_000;
/** 0.010 HBD or HIVE. */
const LEAST_SENT = 10;
/** The digits of a transfer's amount in thousandths; the last size has these or more. */
const sizes = [2, 3, 4, 5, 6] as const;

type Place = Pick<Transfer, "txId" | "operation">;

/** The state of a transfer in the book: written now or earlier, or sent back. */
export type NotedState = "new" | "noted" | "returned";

/** The sent transfers that a payee owes back to their payers. */
export type ReturnBook = {
  /** Lists transfers that are owed and worth sending, up to 10,000 of each size, in the order of their blocks. */
  list(): Promise<Transfer[]>;
  /** Lists up to 10,000 transfers that are owed and too small to be sent unasked. */
  listSmall(): Promise<Transfer[]>;
  /** Removes a transfer that is not on the chain, until it is noted again. */
  forget(transfer: Place): Promise<void>;
  /** Removes a transfer that was sent back, for good. */
  strike(transfer: Place): Promise<void>;
};

/** Returns the amount of a transfer in thousandths of its coin, or 0 if it is unreadable. */
export const countOf = ({ amount }: Pick<Transfer, "amount">): number =>
  Number(parseAsset(amount)?.amount ?? 0n);

/** Returns whether a transfer is sent back without the seller's asking: a stranger's dust is not. */
export const isWorthSending = (transfer: Pick<Transfer, "amount">): boolean =>
  countOf(transfer) >= LEAST_SENT;

/** Returns the size of a transfer that is worth sending. */
export const sizeOf = (transfer: Pick<Transfer, "amount">): (typeof sizes)[number] => {
  const digits = String(countOf(transfer)).length;
  return sizes.find((size) => digits <= size) ?? 6;
};

/** Former versions wrote all transfers that are worth sending under this prefix, without their size. */
const prefixOf = ({ network, account }: Book) => `x402:to-return:${network}:${account}:`;
/** Apart by size, so that no number of small transfers hides a large one in a list. */
const sizePrefixOf = (book: Book, size: (typeof sizes)[number]) => `${prefixOf(book)}size-${size}:`;
/** Apart, so that dust hides no other transfer in a list. */
const smallPrefixOf = ({ network, account }: Book) => `x402:to-return-small:${network}:${account}:`;
/** Returns the key that marks a transfer as paid back, for good. */
export const endKeyOf = ({ network, account }: Book, { txId, operation }: Place) =>
  `x402:returned:${network}:${account}:${txId}:${operation}`;

/** Names the book of an account on a network. All servers that sell for the account should share the store. */
type Book = { network: string; account: string };

/**
 * Writes a transfer into the book, under a key of its own, so that many strangers' transfers slow nobody's down.
 * Rejects if it may not be written.
 */
export async function noteInBook(
  store: Pick<Store, "get" | "setIfAbsent">,
  book: Book,
  transfer: Transfer,
): Promise<NotedState> {
  if ((await store.get(endKeyOf(book, transfer))) !== null) return "returned";
  const prefix = isWorthSending(transfer) ? sizePrefixOf(book, sizeOf(transfer)) : smallPrefixOf(book);
  const key = `${prefix}${transfer.txId}:${transfer.operation}`;
  return (await store.setIfAbsent(key, JSON.stringify(transfer))) ? "new" : "noted";
}

/** Opens the book of an account. */
export function createReturnBook(
  store: Pick<Store, "get" | "setIfAbsent" | "delete" | "list">,
  book: Book,
): ReturnBook {
  const largePrefixes = [...sizes.map((size) => sizePrefixOf(book, size)), prefixOf(book)];
  const forget: ReturnBook["forget"] = async ({ txId, operation }) => {
    for (const prefix of [...largePrefixes, smallPrefixOf(book)])
      await store.delete(`${prefix}${txId}:${operation}`);
  };
  const listOf = async (prefixes: readonly string[]): Promise<Transfer[]> => {
    const owed = new Map<string, Transfer>();
    for (const prefix of prefixes)
      for (const { value } of await store.list(prefix, MOST_LISTED)) {
        const transfer = TransferToReturn.parse(JSON.parse(value));
        const endKey = endKeyOf(book, transfer);
        if (owed.has(endKey)) continue;
        // A write that began before the transfer was struck off may have added it again.
        if ((await store.get(endKey)) === null) owed.set(endKey, transfer);
        else await forget(transfer);
      }
    return [...owed.values()].sort(
      (one, other) => one.blockNum - other.blockNum || one.operation - other.operation,
    );
  };
  return {
    list: () => listOf(largePrefixes),
    listSmall: () => listOf([smallPrefixOf(book)]),
    forget,
    async strike(transfer) {
      // Written first, so that no later note brings the transfer back.
      await store.setIfAbsent(endKeyOf(book, transfer), "1");
      await forget(transfer);
    },
  };
}
