import type { PaymentErrorCode } from "../x402/client/payment-error.ts";
import type { Reason } from "../x402/facilitator/reasons.ts";

/** What to do about a refused payment, by `invalidReason`, `errorReason` or a paywall's `code`. */
export const refusalRemedies: Readonly<
  Record<Reason | "payment_required" | "payment_rejected" | "facilitator_unavailable" | "degraded", string>
> = {
  invalid_payload:
    "send base64 of the JSON that `encodePayment` makes, at most 8 KiB, with one transfer in it",
  unsupported_version: "take the version of the offer",
  unsupported_scheme: "take `exact`",
  unsupported_network: "take an offer whose `network` is yours; compare with `GET /supported`",
  invalid_amount: 'write it as `"0.050 HBD"`',
  amount_mismatch: "pay exactly `maxAmountRequired`; the price may have changed: ask again without payment",
  asset_mismatch: "pay in HBD",
  recipient_mismatch: "pay `payTo` of the present offer",
  self_payment: "pay from another account",
  nonce_mismatch: "use `extra.nonce` of this resource's offer",
  memo_invalid: "build it with `signPayment`; do not encrypt it",
  transaction_expired: "sign a new payment, unless the chain shows this one; take the time from the chain",
  expiration_too_far: "let it expire by `validBefore`",
  requirements_expired: "ask again for a new offer",
  tapos_mismatch: "sign again against a node of the offer's chain",
  signature_missing: "sign it",
  signature_invalid: "sign again with a wallet of Hive",
  authority_not_satisfied: "use the active key, not the posting key, and all keys of a shared account",
  wrong_chain: "set the wallet to the chain that the offer names",
  account_not_found: "check both names",
  insufficient_funds: "fund the payer with HBD, or power it up",
  payment_replayed: "if the page never came, ask where you paid first; else sign a new payment",
  settlement_pending: "send **the same** payment again after `Retry-After`; never sign a second one",
  broadcast_rejected:
    "mend the payer's balance or credits and send **the same** payment again; sign a new one only once it has expired",
  chain_unavailable: "send the same payment again in a moment; operators: `npm run doctor`",
  payment_required: "pay one of `accepts`",
  payment_rejected:
    "the facilitator gave a reason that this paywall does not know: ask the seller; sign a new payment only once this one has expired",
  facilitator_unavailable: "send the same payment again; sellers: check `facilitatorUrl`",
  degraded: "the seller's store is away: send the same payment again",
};

/** Why the paying client did not pay, by the `code` of its `PaymentError`, and what to do. */
export const clientRemedies: Readonly<Record<PaymentErrorCode, { text: string; remedy: string }>> = {
  no_offer: { text: "a 402 without an offer that can be read", remedy: "is it a server of this protocol?" },
  unknown_network: {
    text: "every offer is for another chain; the message names both",
    remedy: "give `network` (or `chainId`) and `nodes` of the offer's chain: on the sandbox `chain:sandbox`",
  },
  unknown_scheme: { text: "another scheme than `exact`", remedy: "this client can't pay it" },
  unknown_version: { text: "another version of the protocol", remedy: "update the client" },
  not_hbd: { text: "another coin than HBD", remedy: "this client pays in HBD" },
  malformed_offer: {
    text: "amount, payee, time or nonce of the offer are nonsense, or the payee is the payer",
    remedy: "tell the seller",
  },
  offer_expired: {
    text: "over by the chain's time",
    remedy: "ask again; if it stays, the seller's clock is wrong",
  },
  over_limit: { text: "dearer than `maxPayment`", remedy: "raise it, if the page is worth it" },
  budget_unavailable: {
    text: "what was spent, or sent before, can't be read or written: the budget's `store` does not answer",
    remedy: "look after the store; nothing is paid until it answers",
  },
  over_budget: { text: "would exceed `budget`", remedy: "wait, or raise it" },
  host_not_allowed: { text: "the host is not in `allowedHosts`", remedy: "add it, if you know it" },
  payee_not_allowed: { text: "the payee is not in `allowedPayees`", remedy: "add it, if you know it" },
  not_approved: { text: "`approve` did not return `true`", remedy: "approve it, or leave it" },
  resource_mismatch: {
    text: "the offer is for another site's resource",
    remedy: "sellers: set `publicUrl`; payers who know better: `allowedResourceHosts`",
  },
  redirected: {
    text: "the request was redirected to where the payment was not meant for",
    remedy: "ask the final address",
  },
  signing_failed: {
    text: "the key is no private key, or the wallet refused",
    remedy: "give the active key (`5…`), or look into the wallet",
  },
  chain_unavailable: {
    text: "no node answers, or those that do contradict each other",
    remedy: "give other `nodes`, three or more",
  },
};
