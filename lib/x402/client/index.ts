export { HEADER_PAYMENT } from "../header.ts";
export type {
  PaymentOfTransfer,
  PaymentPayload,
  PaymentPayloadV2,
  PaymentRequired,
  PaymentRequiredV2,
  PaymentRequirements,
  PaymentRequirementsV2,
  SettleResponse,
  SignedTransaction,
  TransferOffer,
} from "../types.ts";
export type { BudgetStore } from "./budget-store.ts";
export type { ChainOptions } from "./chain.ts";
export type { ParsedRequirements } from "./choose-offer.ts";
export type { Budget, Spent } from "./day-book.ts";
export { createKeySigner } from "./key-signer.ts";
export type { MadePayment, OnPayment } from "./made-payment.ts";
export type { MessageSigner, SignMessage } from "./message-signer.ts";
export type { PayerOptions, PayingFetchOptions } from "./options.ts";
export type { AnswerToPaidCall, AskedPayment, PaidCall } from "./paid-call.ts";
export { parseRequirements } from "./parse-requirements.ts";
export { createPayer, type Payer } from "./payer.ts";
export { createPayingFetch, type PayingFetch } from "./paying-fetch.ts";
export {
  PaymentError,
  type PaymentErrorCode,
  type PaymentErrorDetails,
  type PaymentOffer,
} from "./payment-error.ts";
export type { OfferToApprove, Quote, QuotedOffer } from "./quote.ts";
export { type SendPaymentOptions, sendPayment } from "./send-payment.ts";
export { type SignPaymentOptions, signPayment } from "./sign-payment.ts";
export type { SignedOfferRules } from "./signed-offer-rules.ts";
export type { Signer, SignTransaction } from "./signer.ts";
export type { SendTransfer, TransferToSend } from "./transfer-sender.ts";
