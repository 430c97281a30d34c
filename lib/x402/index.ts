export { formatHBD, parseHBD } from "./amount.ts";
export {
  createPayingFetch,
  type PayingFetchOptions,
  PaymentError,
  type PaymentErrorCode,
  parseRequirements,
  type SignPaymentOptions,
  signPayment,
} from "./client/index.ts";
export { decodePayment, encodePayment } from "./codec.ts";
export { BypassError, type BypassErrorCode, type PaywallOptions, paywall } from "./express.ts";
export {
  createFacilitator,
  createHiveClient,
  FacilitatorError,
  type FacilitatorErrorCode,
  type FacilitatorOptions,
  type HiveClient,
  type HiveFacilitator,
  type Store,
} from "./facilitator/index.ts";
export { HEADER_PAYMENT } from "./header.ts";
export { honoPaywall } from "./hono.ts";
export { withPaywall } from "./next.ts";
export { createDidDocument, type DidDocument } from "./offer-receipt/did-document.ts";
export type { SigningOptions } from "./offer-receipt/signer.ts";
export type {
  Facilitator,
  PaymentPayload,
  PaymentRequired,
  PaymentRequirements,
  SettleResponse,
  SignedTransaction,
  VerifyResponse,
} from "./types.ts";
