import { createHourlyLimit } from "../hourly-limit.ts";
import type { Refunds } from "../refunds/paced-refunds.ts";
import type { TransferToReturn } from "../types.ts";

/** The most transfers that strangers can have sent back at once in an hour; the others wait in the books. */
const MOST_AN_HOUR = 60;

type Signer = Pick<Refunds, "giveBack">;

/** Sends transfers back, one after the other. */
export type ReturnQueue = {
  /** Returns whether the transfer will be sent back, or false if too many were in the last hour. */
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

  const sendAll = async (): Promise<void> => {
    if (isSending) return;
    isSending = true;
    for (const [id, transfer] of waiting) {
      try {
        await signer.giveBack(transfer);
      } catch {
        // The transfer stays in the books, and `recover` of the refunds sends it.
      }
      waiting.delete(id);
    }
    isSending = false;
  };

  return {
    add(transfer) {
      if (waiting.has(idOf(transfer))) return true;
      if (limit.isReached()) return false;
      limit.count();
      waiting.set(idOf(transfer), transfer);
      void sendAll();
      return true;
    },
    has: (transfer) => waiting.has(idOf(transfer)),
  };
}
