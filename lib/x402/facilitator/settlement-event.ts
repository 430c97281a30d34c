import type { PaymentRecord } from "./payment-record.ts";

/**
 * What happened to a payment. `recovered` comes with the outcome of one that an earlier caller left open; `resent`: the
 * chain had lost it; `undone`: a fork has taken a settled one out of its block, so it is open again.
 */
export type SettlementEvent = {
  kind: "settled" | "failed" | "pending" | "recovered" | "resent" | "undone";
  txId: string;
  payer: string;
  amountMillis: number;
};

export type TellEvent = (kind: SettlementEvent["kind"], record: PaymentRecord) => void;

/** Makes what tells the facilitator's owner. */
export function createTeller(onEvent: (event: SettlementEvent) => void = () => {}): TellEvent {
  return (kind, { txId, payer, amountMillis }) => onEvent({ kind, txId, payer, amountMillis });
}
