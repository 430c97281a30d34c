export { HEADER_PAYMENT } from "../header.ts";
export type { PaymentPayload, PaymentRequirements, SettleResponse, SignedTransaction } from "../types.ts";
export type { ChainOptions } from "./chain.ts";
export { parseRequirements } from "./parse-requirements.ts";
export { createPayingFetch, type PayingFetchOptions } from "./paying-fetch.ts";
export { PaymentError, type PaymentErrorCode } from "./payment-error.ts";
export { type SignPaymentOptions, signPayment } from "./sign-payment.ts";
export type { Signer, SignTransaction } from "./signer.ts";
export type { Budget } from "./spending.ts";
