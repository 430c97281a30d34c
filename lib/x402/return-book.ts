import type { Store } from "../store/store.ts";
import { TransferToReturn } from "./schemas.ts";
import type { TransferToReturn as Transfer } from "./types.ts";

const MOST_LISTED = 1000;

type Place = Pick<Transfer, "txId" | "operation">;

/** The state of a transfer in the book: written now or earlier, or sent back. */
export type NotedState = "new" | "noted" | "returned";

/** The sent transfers that a payee owes back to their payers. */
export type ReturnBook = {
  /** Lists up to 1000 transfers that are owed, in the order of their blocks. */
  list(): Promise<Transfer[]>;
  /** Removes a transfer that is not on the chain, until it is noted again. */
  forget(transfer: Place): Promise<void>;
  /** Removes a transfer that was sent back, for good. */
  strike(transfer: Place): Promise<void>;
};

const prefixOf = (network: string, account: string) => `x402:to-return:${network}:${account}:`;
const keysOf = ({ network, account }: Book, { txId, operation }: Place) => ({
  owed: `${prefixOf(network, account)}${txId}:${operation}`,
  end: `x402:returned:${network}:${account}:${txId}:${operation}`,
});

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
  const keys = keysOf(book, transfer);
  if ((await store.get(keys.end)) !== null) return "returned";
  return (await store.setIfAbsent(keys.owed, JSON.stringify(transfer))) ? "new" : "noted";
}

/** Opens the book of an account. */
export function createReturnBook(
  store: Pick<Store, "get" | "setIfAbsent" | "delete" | "list">,
  book: Book,
): ReturnBook {
  const forget: ReturnBook["forget"] = async (transfer) => {
    await store.delete(keysOf(book, transfer).owed);
  };
  return {
    async list() {
      const entries = await store.list(prefixOf(book.network, book.account), MOST_LISTED);
      const owed: Transfer[] = [];
      for (const { value } of entries) {
        const transfer = TransferToReturn.parse(JSON.parse(value));
        // A note that began before the transfer was struck may have brought it back.
        if ((await store.get(keysOf(book, transfer).end)) === null) owed.push(transfer);
        else await forget(transfer);
      }
      return owed.toSorted((one, other) => one.blockNum - other.blockNum || one.operation - other.operation);
    },
    forget,
    async strike(transfer) {
      // Written first, so that no later note brings the transfer back.
      await store.setIfAbsent(keysOf(book, transfer).end, "1");
      await forget(transfer);
    },
  };
}
