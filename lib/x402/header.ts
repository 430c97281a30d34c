/** Carries the signed payment in a request, and the requirements in a 402 answer. */
export const HEADER_PAYMENT = "x-payment";
/** Carries the receipt (base64 of a SettleResponse) in a paid answer. */
export const HEADER_PAYMENT_RESPONSE = "x-payment-response";
/** What version 2 of the protocol calls the same three things. */
export const HEADER_V2_REQUIRED = "payment-required";
export const HEADER_V2_PAYMENT = "payment-signature";
export const HEADER_V2_RESPONSE = "payment-response";

/** A payment header is read up to this length, 8 KiB. */
export const MAX_PAYMENT_CHARACTERS = 8192;
