import { formatMils } from "../../mils.ts";
import type { SettlementEvent } from "./options.ts";
import type { PaymentRecord } from "./payment-record.ts";

export type TellEvent = (kind: SettlementEvent["kind"], record: PaymentRecord) => void;

/** Creates the function that reports events to the facilitator's owner. */
export function createTeller(onEvent: (event: SettlementEvent) => void = () => {}): TellEvent {
  return (kind, { txId, payer, amountMils }) =>
    onEvent({ kind, txId, payer, amount: formatMils(amountMils) });
}
