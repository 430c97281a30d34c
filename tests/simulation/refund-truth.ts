import { parseMils } from "../../lib/mils.ts";
import type { Refund } from "../../lib/x402/refunds/index.ts";
import type { LedgerOfTruth, Truth } from "./ledger-of-truth.ts";
import type { Question } from "./network.ts";
import { type Block, blockAt, findTransfer, isFinal, type SimulatedChain } from "./simulated-chain.ts";
import { identify } from "./simulated-node.ts";
import type { Stage } from "./simulated-process.ts";
import { createStoreServer, type StoreServer } from "./simulated-store.ts";

const MEMO = /^x402:refund:([0-9a-f]{40})$/;
const KEY = /^x402:refund:[0-9a-f]{64}:[^:]+:([0-9a-f]{40})$/;

/** A transfer that a till has sent to a node. */
type Sent = { id: string; expirationMs: number };

/** The invariants of refunds. Each method ends the run if the event must not have happened. */
export type RefundTruth = {
  /** The store that the tills share. */
  readonly store: StoreServer;
  /** Reports a call of a till to another machine, before it leaves the till. */
  asked(question: Question): void;
  /** Reports the answer of a call of `refund`. */
  answered(refund: Refund): void;
  isOnChain(payment: Truth): boolean;
  /** Returns whether every recorded refund is known to be final. */
  areAllDone(): boolean;
  /** Checks at the end that the chain has each recorded refund once, and no other. */
  check(): void;
};

/** Creates the invariants of a run's refunds, which `seller` pays. */
export function createRefundTruth(
  { violate, note, scheduler }: Stage,
  chain: SimulatedChain,
  { truths, seller }: Pick<LedgerOfTruth, "truths"> & { seller: string },
): RefundTruth {
  /** The ids of all transfers that were ever recorded. */
  const recorded = new Set<string>();
  const store = createStoreServer("refunds", (value) => {
    const id = /"txId":"([0-9a-f]{40})"/.exec(value)?.[1];
    if (id) recorded.add(id);
  });
  /** The transfers that were sent for each payment. */
  const sent = new Map<string, Sent[]>();
  const nameOf = (id: string) => `payment ${id.slice(0, 8)}`;

  const mayBeIncluded = ({ id, expirationMs }: Sent): boolean => {
    const { head, irreversibleNum } = chain.view(0);
    const endsBefore = (blockAt(head, irreversibleNum)?.timeMs ?? 0) > expirationMs;
    return !endsBefore || findTransfer(head, id) !== null;
  };

  const checkSent = (transaction: unknown) => {
    const found = identify(transaction);
    if (!found) return violate("a till sent a transfer without a valid signature");
    const { id, transfer } = found;
    const paymentId = MEMO.exec(transfer.memo)?.[1] ?? "";
    const payment = truths.get(paymentId);
    if (!payment) return violate(`a refund of a payment that nobody signed: ${transfer.memo}`);
    const name = nameOf(paymentId);
    const earlier = sent.get(paymentId) ?? [];
    if (earlier.some((one) => one.id === id)) return;
    sent.set(paymentId, [...earlier, { id, expirationMs: transfer.expirationMs }]);
    note(`the refund of ${name} is sent: ${id.slice(0, 8)}`);
    const { ids, from, amountMils } = payment.transfer;
    const view = chain.view(0);
    if (!recorded.has(id)) violate(`${name}: its refund is sent before it is recorded`);
    if (transfer.to !== from) violate(`${name}: its refund goes to ${transfer.to}`);
    if (transfer.amountMils > amountMils) violate(`${name}: more is refunded than was paid`);
    if (!isFinal(view, ids.legacy) && !isFinal(view, ids.hf26))
      violate(`${name}: refunded, and not paid for good`);
    if (earlier.some(mayBeIncluded)) violate(`${name}: refunded again while the first refund may land`);
  };

  /** Returns the refunds on the chain by payment. */
  const listOnChain = () => {
    const refunds = new Map<string, string[]>();
    for (let block: Block | null = chain.view(0).head; block; block = block.parent)
      for (const { id, transfer } of block.transfers) {
        const paymentId = transfer.from === seller ? MEMO.exec(transfer.memo)?.[1] : undefined;
        if (paymentId) refunds.set(paymentId, [...(refunds.get(paymentId) ?? []), id]);
      }
    return refunds;
  };

  const entries = () =>
    [...store.entries].flatMap(([key, { value }]) => {
      const paymentId = KEY.exec(key)?.[1];
      return paymentId ? [{ paymentId, isDone: value.includes('"state":"done"') }] : [];
    });

  return {
    store,
    asked({ body = "" }) {
      if (!body.includes("broadcast_transaction")) return;
      const { params } = JSON.parse(body) as { params: unknown[] };
      checkSent(params[0]);
    },
    answered({ state, paymentId, txId, to, amount }) {
      const name = nameOf(paymentId);
      if (!recorded.has(txId)) violate(`${name}: reported as refunded, and not recorded`);
      if (state === "pending") return;
      const found = findTransfer(chain.view(0).head, txId)?.transfer.transfer;
      if (!found || !isFinal(chain.view(0), txId))
        return violate(`${name}: reported as refunded for good, and a fork can undo it`);
      if (found.to !== to || found.amountMils !== parseMils(amount))
        violate(`${name}: another refund is reported than was paid`);
    },
    isOnChain: ({ transfer }) => listOnChain().has(transfer.ids.legacy),
    areAllDone: () => entries().every(({ isDone }) => isDone),
    check() {
      const onChain = listOnChain();
      for (const [paymentId, ids] of onChain)
        if (ids.length > 1) violate(`${nameOf(paymentId)}: refunded twice`);
      const inStore = entries();
      for (const { paymentId } of inStore)
        if (!onChain.has(paymentId)) violate(`${nameOf(paymentId)}: its recorded refund is lost`);
      const known = new Set(inStore.map(({ paymentId }) => paymentId));
      if (scheduler.now() > 0 && [...onChain.keys()].some((id) => !known.has(id)))
        violate("a refund is on the chain, and not recorded");
    },
  };
}
