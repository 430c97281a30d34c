import { isWorthSending, type NotedState, noteInBook } from "../return-book.ts";
import type { TransferReturn, TransferToReturn } from "../types.ts";
import { ClaimStoreError, guardStore } from "./claim-store.ts";
import type { PaywallSettings } from "./options.ts";
import { createReturnQueue, type ReturnQueue } from "./return-queue.ts";

type Settings = Pick<PaywallSettings<never>, "store" | "networks" | "refunds">;

/** All paywalls of a signer share its queue. */
const queues = new WeakMap<object, ReturnQueue>();

/**
 * Writes transfers that bought nothing into the seller's books, and has new ones sent back if the seller gave a signer
 * and they are not too small.
 * @throws ClaimStoreError if the write may have failed
 */
export async function noteReturns(
  { store, networks, refunds }: Settings,
  payTo: string,
  transfers: readonly TransferToReturn[],
): Promise<TransferReturn[]> {
  if (transfers.length === 0) return [];
  const [network = ""] = networks;
  let states: NotedState[];
  try {
    const book = { network, account: payTo };
    const guarded = guardStore(store);
    states = await Promise.all(transfers.map((transfer) => noteInBook(guarded, book, transfer)));
  } catch (cause) {
    throw new ClaimStoreError("the transfers may not be in the books", { cause });
  }
  const queue = refunds?.account === payTo ? queueOf(refunds) : undefined;
  const stateOf = (transfer: TransferToReturn, noted: NotedState | undefined): TransferReturn["state"] => {
    if (noted === "returned") return "returned";
    const isSending =
      noted === "new" && isWorthSending(transfer) ? queue?.add(transfer) : queue?.has(transfer);
    return isSending ? "sending" : "noted";
  };
  return transfers.map((transfer, index) => {
    const { blockNum: _place, ...shown } = transfer;
    return { ...shown, state: stateOf(transfer, states[index]) };
  });
}

function queueOf(signer: NonNullable<Settings["refunds"]>): ReturnQueue {
  const queue = queues.get(signer) ?? createReturnQueue(signer);
  queues.set(signer, queue);
  return queue;
}
