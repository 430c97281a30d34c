import type { UnsignedTransfer } from "../../client/build-transfer.ts";
import type { PaymentPayload } from "../../types.ts";
import { isOfGoodTime, placeOf, storeWithRoom } from "./kept-claims.ts";
import { readStored, store, storedKeys } from "./stored.ts";

const PREFIX = "x402-payments:";

/** The payments that this page has sent, by key, whether or not the browser stores them. */
const held = new Map<string, PaymentPayload>();

const keyOf = ({ payload }: PaymentPayload, place = PREFIX + placeOf(location.href)) =>
  `${place}#${payload.signedTransaction.signatures[0]}`;

/** Returns the terms of a payment's transfer, and the chain's time at which it expires, in ms since 1970. */
export function termsOf({ payload }: PaymentPayload) {
  const { operations, expiration } = payload.signedTransaction as unknown as UnsignedTransfer;
  const [[, { from, amount }]] = operations;
  return { from, amount, endMs: Date.parse(`${expiration}Z`) };
}

/** Returns the payments sent from this address whose outcome is unknown, which all pages of this browser share. */
export function readPayments(): PaymentPayload[] {
  const place = `${PREFIX}${placeOf(location.href)}#`;
  const stored = storedKeys().flatMap((key) => (key.startsWith(place) ? (readPayment(key) ?? []) : []));
  return [...new Map([...held, ...stored.map((payment) => [keyOf(payment), payment] as const)]).values()];
}

/** Returns a stored payment, or null if its value is none or has been of no use for long. */
function readPayment(key: string): PaymentPayload | null {
  try {
    const payment = JSON.parse(readStored(key) ?? "") as PaymentPayload;
    const { from, amount, endMs } = termsOf(payment);
    const isGood = typeof from === "string" && typeof amount === "string" && isOfGoodTime(endMs);
    return isGood && key.endsWith(keyOf(payment, "")) ? payment : null;
  } catch {
    return null;
  }
}

/** Stores a payment before it is sent. A page without storage goes on with it. */
export function keepPayment(payment: PaymentPayload): void {
  const key = keyOf(payment);
  for (const other of storedKeys()) if (other.startsWith(PREFIX) && !readPayment(other)) store(other, null);
  held.set(key, payment);
  storeWithRoom(key, payment);
}

/** Forgets a payment that has bought the content, or can never be charged. */
export function dropPayment(payment: PaymentPayload): void {
  const key = keyOf(payment);
  held.delete(key);
  store(key, null);
}
