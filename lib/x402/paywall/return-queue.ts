import { createHourlyLimit } from "../hourly-limit.ts";
import type { Refunds } from "../refunds/paced-refunds.ts";
import { countOf, sizeOf } from "../return-book.ts";
import type { TransferToReturn } from "../types.ts";

/** The most transfers that strangers can have sent back at once in an hour; the others wait in the books. */
const MOST_AN_HOUR = 60;
/**
 * The part of these that is open to transfers of a size. Strangers get theirs back, so small ones cost them nothing in any
 * number and from any number of accounts; a part that only larger ones can use up binds money.
 */
const partOf = { 2: 1 / 2, 3: 2 / 3, 4: 5 / 6, 5: 1, 6: 1 } as const;

type Signer = Pick<Refunds, "giveBack">;

/** Sends transfers back, one after the other, the largest first. */
export type ReturnQueue = {
  /** Returns whether the transfer will be sent back, or false if too many for its size were in the last hour. */
  add(transfer: TransferToReturn): boolean;
  /** Returns whether the transfer waits, or is being sent. */
  has(transfer: TransferToReturn): boolean;
};

/** Creates the queue of a seller's signer. `now` is a monotonic clock in ms. */
export function createReturnQueue(signer: Signer, now?: () => number): ReturnQueue {
  const idOf = ({ txId, operation }: TransferToReturn) => `${txId}:${operation}`;
  const waiting = new Map<string, TransferToReturn>();
  const limit = createHourlyLimit(MOST_AN_HOUR, now);
  let isSending = false;
  const largest = () => [...waiting.values()].sort((one, other) => countOf(other) - countOf(one)).at(0);

  const sendAll = async (): Promise<void> => {
    if (isSending) return;
    isSending = true;
    for (let next = largest(); next; next = largest()) {
      try {
        await signer.giveBack(next);
      } catch {
        // The transfer stays in the books, and `recover` of the refunds sends it.
      }
      waiting.delete(idOf(next));
    }
    isSending = false;
  };

  return {
    add(transfer) {
      if (waiting.has(idOf(transfer))) return true;
      if (limit.isReached(partOf[sizeOf(transfer)])) return false;
      limit.count();
      waiting.set(idOf(transfer), transfer);
      void sendAll();
      return true;
    },
    has: (transfer) => waiting.has(idOf(transfer)),
  };
}
