import { z } from "zod";
import type { Store } from "../store/store.ts";
import { TransferToReturn } from "./schemas.ts";
import type { TransferToReturn as Transfer } from "./types.ts";

const MOST_ENTRIES = 2000;
const MAX_TRIES = 20;

const Entries = z.array(TransferToReturn);

/** The sent transfers that a payee owes back to their payers. */
export type ReturnBook = {
  /** Writes a transfer into the book once. Rejects if it may not be written. */
  note(transfer: Transfer): Promise<void>;
  /** Lists the transfers that are owed, in the order of their notes. */
  list(): Promise<Transfer[]>;
  /** Removes a transfer that is not on the chain, until it is noted again. */
  forget(transfer: Pick<Transfer, "txId" | "operation">): Promise<void>;
  /** Removes a transfer that was sent back, for good. */
  strike(transfer: Pick<Transfer, "txId" | "operation">): Promise<void>;
};

/** Creates the book of an account on a network. All servers that sell for the account should share the store. */
export function createReturnBook(
  store: Pick<Store, "get" | "setIfAbsent" | "replace">,
  { network, account }: { network: string; account: string },
): ReturnBook {
  const key = `x402:to-return:${network}:${account}`;
  const endKeyOf = ({ txId, operation }: Pick<Transfer, "txId" | "operation">) =>
    `x402:returned:${network}:${account}:${txId}:${operation}`;
  const isOf = (one: Pick<Transfer, "txId" | "operation">) => (other: Transfer) =>
    one.txId === other.txId && one.operation === other.operation;
  const parse = (text: string | null): Transfer[] => (text === null ? [] : Entries.parse(JSON.parse(text)));

  const change = async (plan: (entries: Transfer[]) => Transfer[]): Promise<void> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const text = await store.get(key);
      const entries = parse(text);
      const next = plan(entries);
      if (next.length === entries.length) return;
      if (next.length > MOST_ENTRIES) throw new RangeError("too many transfers to return");
      const written = JSON.stringify(next);
      if (await (text === null ? store.setIfAbsent(key, written) : store.replace(key, text, written))) return;
    }
    throw new Error("too many concurrent writers");
  };

  const forget: ReturnBook["forget"] = (transfer) => {
    const isThis = isOf(transfer);
    return change((entries) => entries.filter((entry) => !isThis(entry)));
  };

  return {
    async note(transfer) {
      if ((await store.get(endKeyOf(transfer))) !== null) return;
      await change((entries) => (entries.some(isOf(transfer)) ? entries : [...entries, transfer]));
    },
    list: async () => parse(await store.get(key)),
    forget,
    async strike(transfer) {
      // Written first, so that no later note brings the transfer back.
      await store.setIfAbsent(endKeyOf(transfer), "1");
      await forget(transfer);
    },
  };
}
