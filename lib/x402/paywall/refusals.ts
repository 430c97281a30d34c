import type { TransferReturn } from "../types.ts";

/** Sentences for payers, by code. They are always our own, never text from a payment or a facilitator. */
const sentences: Record<string, string> = {
  payment_required: "This resource costs {amount}: sign a transfer and send it in the x-payment header.",
  invalid_payload: "The x-payment header can't be read as a payment.",
  unsupported_version: "Payments here are of version 1 or 2.",
  unsupported_scheme: "Payments here are of the scheme exact.",
  unsupported_network: "The payment is for another network.",
  invalid_amount: "The amount of the payment is malformed.",
  amount_mismatch: "The payment is not of {amount}.",
  asset_mismatch: "The payment is not in HBD.",
  recipient_mismatch: "The payment is to another account.",
  self_payment: "The payee can't pay itself.",
  nonce_mismatch: "The nonce of the payment is not one that opens this resource.",
  memo_invalid: "The memo of the payment must be x402: and the nonce.",
  transaction_expired:
    "The payment has expired. If the chain shows its transfer, ask the seller; else sign another.",
  expiration_too_far: "The payment expires too late.",
  requirements_expired: "The offer that was paid has expired.",
  tapos_mismatch: "The payment refers to a block that the chain does not know.",
  signature_missing: "The payment is not signed.",
  signature_invalid: "A signature of the payment is not valid.",
  authority_not_satisfied: "The signatures do not satisfy the payer's active authority.",
  wrong_chain: "The payment was signed for another chain; set the wallet to the chain that this offer names.",
  account_not_found: "The payer or the payee does not exist on the chain.",
  insufficient_funds: "The payer has not enough HBD, or no resource credits to send it with.",
  invalid_claim: "The claim is not one that opens this resource.",
  payment_not_seen:
    "No block has the transfer yet. Once it is sent with the memo of the claim, send the same claim again.",
  paid_too_little: "The transfer was of less than the price, so it buys nothing.",
  paid_too_much: "The transfer was of more than the price, so it buys nothing.",
  paid_other_coin: "The transfer was of another coin than HBD, so it buys nothing.",
  paid_other_memo: "The transfer has spaces or line breaks around its memo, so it buys nothing.",
  paid_too_late:
    "The transfer came, or its claim was presented, more than a day after the end of the offer, so it buys nothing.",
  paid_twice: "It was paid more than once, and one transfer is enough.",
  payment_replayed: "This payment was used already, or the seller has paid it back.",
  not_purchased: "The account that signed in has not bought this, or paid less than it costs now.",
  invalid_siwx_header: "The sign-in-with-x header cannot be read as a sign-in.",
  invalid_siwx_domain_mismatch: "The sign-in is for another site.",
  invalid_siwx_uri_mismatch: "The sign-in is for another resource.",
  invalid_siwx_unsupported_chain:
    "The sign-in is for another chain, or of a type that is not supported here.",
  invalid_siwx_nonce: "The nonce of the sign-in is not one of this resource, or was used already.",
  invalid_siwx_expired: "The sign-in has expired.",
  invalid_siwx_issued_at_in_future: "The sign-in begins in the future.",
  invalid_siwx_signature: "The signature is not of the account's posting key.",
  broadcast_rejected:
    "The chain refused the payment. Send the same one again, or sign another once this one has expired.",
  facilitator_unavailable: "Payments can't be checked just now; try the same payment again in a moment.",
  settlement_pending: "The payment is on its way; send the same payment again in a moment.",
  sign_in_unavailable: "The chain can't confirm the sign-in just now; send the same one again in a moment.",
  degraded: "The server can't take payments just now; try the same payment again in a moment.",
};

const wrongTransfers: readonly string[] = [
  "paid_too_little",
  "paid_too_much",
  "paid_other_coin",
  "paid_other_memo",
];

/** Returns whether a code is about a transfer of another amount, coin or memo, after which the right one still counts. */
export const isOfWrongTransfer = (code: string): boolean => wrongTransfers.includes(code);

/**
 * Returns the English sentences that say why sent transfers bought nothing, unless `code` says so, and what becomes of
 * them.
 */
export function describeReturns(code: string, returns: readonly TransferReturn[]): string {
  const [cause] = returns.map((transfer) => transfer.cause).filter((one) => one !== code);
  const reason = cause === undefined ? "" : `${describeRefusal(cause)} `;
  if (returns.every(({ state }) => state === "returned"))
    return `${reason}The seller has sent it back to its payer.`;
  const isSending = returns.every(({ state }) => state !== "noted");
  return isSending
    ? `${reason}The seller is sending it back to its payer.`
    : `${reason}It is in the seller's books, to be returned to its payer.`;
}

/** Requests that no payment can help, by the code of their answer. */
export const rejections = {
  invalid_target: {
    status: 400,
    error:
      "Payments are bound to the address: write it with at most 2048 characters and in its normal form, without dot segments, backslashes, fragments, control characters and escapes of letters, digits, dots and slashes.",
  },
  invalid_payment_identifier: {
    status: 400,
    error: "The payment's id must have 16 to 128 letters, digits, hyphens and underscores.",
  },
  payment_identifier_used: {
    status: 409,
    error: "The payment's id belongs to another payment; send that one again, or use a new id.",
  },
} as const;

export type RejectionCode = keyof typeof rejections;

/** Every code of a rejection. */
export const rejectionCodes = Object.keys(rejections) as RejectionCode[];

/** Returns the body of a rejection. */
export const rejectionBody = (code: RejectionCode) => ({ error: rejections[code].error, code });

/** Every code with which a paywall asks for a payment, or asks its payer to wait. */
export const refusalCodes: readonly string[] = [...Object.keys(sentences), "payment_rejected"];

/** The codes of a 503, after which the same payment can be sent again. */
export const unavailableCodes = [
  "facilitator_unavailable",
  "settlement_pending",
  "sign_in_unavailable",
  "degraded",
] as const;

/** Returns the code of a facilitator's refusal; unknown reasons become `payment_rejected`. */
export function toCode(reason: string | undefined): string {
  return reason !== undefined && Object.hasOwn(sentences, reason) ? reason : "payment_rejected";
}

/** Returns the English sentence for a code. */
export function describeRefusal(code: string, amount = ""): string {
  const sentence = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  return (sentence ?? "The facilitator refused the payment.").replace("{amount}", amount);
}
