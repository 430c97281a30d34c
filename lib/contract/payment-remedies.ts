import type { PaymentErrorCode } from "../x402/client/payment-error.ts";
import type { Reason } from "../x402/facilitator/reasons.ts";
import type { RejectionCode } from "../x402/paywall/refusals.ts";

/** Codes of a paywall's answers to a sign-in. */
type SignInFault =
  | "not_purchased"
  | "invalid_siwx_header"
  | "invalid_siwx_domain_mismatch"
  | "invalid_siwx_uri_mismatch"
  | "invalid_siwx_unsupported_chain"
  | "invalid_siwx_nonce"
  | "invalid_siwx_expired"
  | "invalid_siwx_issued_at_in_future"
  | "invalid_siwx_signature";

/** Remedies for refused payments, by `invalidReason`, `errorReason` or a paywall's `code`. */
export const refusalRemedies: Readonly<
  Record<
    | Reason
    | SignInFault
    | "payment_required"
    | "payment_rejected"
    | "invalid_claim"
    | "facilitator_unavailable"
    | "sign_in_unavailable"
    | "degraded",
    string
  >
> = {
  invalid_payload: "send base64 of the JSON that `encodePayment` returns, up to 8 KiB, with one transfer",
  unsupported_version: "use the version of the offer",
  unsupported_scheme: "use `exact`",
  unsupported_network: "choose an offer for your `network`; compare with `GET /supported`",
  invalid_amount: 'write it as `"0.050 HBD"`',
  amount_mismatch: "pay exactly `maxAmountRequired`; if the price has changed, ask again without a payment",
  asset_mismatch: "pay in HBD",
  recipient_mismatch: "pay `payTo` of the current offer",
  self_payment: "pay from another account",
  nonce_mismatch: "use `extra.nonce` of this resource's offer",
  memo_invalid: "build it with `signPayment`; do not encrypt it",
  transaction_expired: "sign a new payment, unless the chain shows this one; use the chain's time",
  expiration_too_far: "let it expire by `validBefore`",
  requirements_expired: "ask for a new offer",
  tapos_mismatch: "sign again with a node of the offer's chain",
  signature_missing: "sign it",
  signature_invalid: "sign again with a Hive wallet",
  authority_not_satisfied: "use the active key, not the posting key, and all keys of a shared account",
  wrong_chain: "set the wallet to the chain that the offer names",
  account_not_found: "check both names",
  insufficient_funds: "fund the payer with HBD, or power it up",
  invalid_claim: "present the claim at the address that offered it; sellers: set `secret`",
  payment_not_seen: "send the transfer with the offered memo, then **the same** claim after `Retry-After`",
  paid_too_little: "pay exactly the price; this transfer is returned",
  paid_too_much: "pay exactly the price; this transfer is returned",
  paid_other_coin: "pay in HBD; this transfer is returned",
  paid_other_memo: "send exactly the offered memo; this transfer is returned",
  paid_too_late: "pay a new offer; this transfer is returned",
  paid_twice: "nothing: one transfer counts, and the others are returned",
  payment_replayed: "if the page never came, ask where you paid first; otherwise sign a new payment",
  settlement_pending: "send **the same** payment again after `Retry-After`; never sign a second one",
  broadcast_rejected:
    "fund or power up the payer and send **the same** payment again; sign a new one once it has expired",
  chain_unavailable: "send the same payment again in a moment; operators: `npm run doctor`",
  payment_required: "pay one of `accepts`",
  payment_rejected:
    "the facilitator returned a reason that this paywall does not know: ask the seller; sign a new payment only after this one has expired",
  not_purchased: "pay one of `accepts`, or sign in as the account that paid",
  invalid_siwx_header: "send base64 of the JSON with all fields of the challenge, up to 4 KiB",
  invalid_siwx_domain_mismatch:
    "sign the challenge of the site that you ask; sellers: set `publicUrl` to the public address",
  invalid_siwx_uri_mismatch: "sign the challenge of the resource that you ask",
  invalid_siwx_unsupported_chain: "sign for an entry of `supportedChains`",
  invalid_siwx_nonce: "sign the challenge of this answer; each one is good for one request",
  invalid_siwx_expired: "sign the challenge of this answer within five minutes",
  invalid_siwx_issued_at_in_future: "sellers: correct the clocks of your servers",
  invalid_siwx_signature: "sign the text with one posting key that suffices alone, as `address`",
  sign_in_unavailable: "send the same sign-in after `Retry-After`; sellers: name three `nodes` or more",
  facilitator_unavailable: "send the same payment again; sellers: check `facilitatorUrl`",
  degraded: "the seller's store is unavailable: send the same payment again",
};

/** Remedies for requests that no payment can help, by a paywall's `code`. */
export const rejectionRemedies: Readonly<Record<RejectionCode, string>> = {
  invalid_target: "use the address in its normal form, up to 2,048 characters without its query",
  invalid_payment_identifier: "use 16 to 128 letters, digits, `-` and `_`",
  payment_identifier_used: "send the payment that had the id first, or give this one an id of its own",
};

/** Reasons and remedies of the paying client, by the `code` of its `PaymentError`. */
export const clientRemedies: Readonly<Record<PaymentErrorCode, { text: string; remedy: string }>> = {
  no_offer: { text: "a 402 without a readable offer", remedy: "check that the server speaks this protocol" },
  unknown_network: {
    text: "every offer is for another chain; the message names both",
    remedy: "set `network` (or `chainId`) and `nodes` of the offer's chain: on the sandbox `chain:sandbox`",
  },
  unknown_scheme: { text: "the scheme is not `exact`", remedy: "this client cannot pay it" },
  unknown_version: { text: "neither version 1 nor version 2 of the protocol", remedy: "update the client" },
  not_hbd: { text: "the price is not in HBD", remedy: "this client pays in HBD only" },
  malformed_offer: {
    text: "amount, payee, time or nonce of the offer is invalid, or the payee is the payer",
    remedy: "report it to the seller",
  },
  offer_expired: {
    text: "the offer has expired by the chain's time",
    remedy: "ask again; if it persists, the seller's clock is wrong",
  },
  offer_not_signed: {
    text: "the seller did not sign the offer, and `signedOffers.required` is set",
    remedy: "do not pay, or accept unsigned offers",
  },
  offer_signature_invalid: {
    text: "the offer differs from the signed one, or its key is not known to be the seller's",
    remedy: "check `signedOffers.keys`; sellers: publish the key in `/.well-known/did.json`",
  },
  over_limit: { text: "the price exceeds `maxPayment`", remedy: "raise it, if the page is worth it" },
  budget_unavailable: {
    text: "the budget's `store` does not answer",
    remedy: "fix the store; nothing is paid until it answers",
  },
  too_many_under_way: {
    text: "100 payments for the same request have brought no answer yet",
    remedy: "wait for them; equal requests resend them first",
  },
  over_budget: { text: "the price would exceed `budget`", remedy: "wait, or raise it" },
  host_not_allowed: { text: "the host is not in `allowedHosts`", remedy: "add it, if you trust it" },
  payee_not_allowed: { text: "the payee is not in `allowedPayees`", remedy: "add it, if you trust it" },
  flow_not_allowed: {
    text: "the server settles before it does its work, or in an order that this client does not know",
    remedy: "set `allowUpfront`, if you trust it to deliver",
  },
  splits_not_supported: {
    text: "the payment would be shared between several accounts",
    remedy: "this client pays one account only",
  },
  not_approved: { text: "`approve` did not return `true`", remedy: "approve it, or do not pay" },
  resource_mismatch: {
    text: "the offer is for another site's resource",
    remedy: "sellers: set `publicUrl`; payers who trust it: `allowedResourceHosts`",
  },
  redirected: {
    text: "the request was redirected to another site before it was paid",
    remedy: "ask the final address",
  },
  redirected_after_payment: {
    text: "the payment was sent and may be charged; its redirect was not followed, or not paid there",
    remedy: "act on the `cause`, if any, and ask the redirect's address; the payment itself may be used up",
  },
  signing_failed: {
    text: "the key is not a private key, or the wallet refused",
    remedy: "pass the active key (`5…`), or check the wallet",
  },
  transfer_not_sent: {
    text: "the wallet said that it sent nothing, by returning `null`",
    remedy: "ask again, once the wallet can send",
  },
  transfer_unconfirmed: {
    text: "the wallet did not confirm that it sent the transfer, which may still arrive",
    remedy: "repeat the request: it presents the same claim and sends nothing again",
  },
  chain_unavailable: {
    text: "no node answers, or the nodes contradict each other",
    remedy: "set other `nodes`, three or more",
  },
};
