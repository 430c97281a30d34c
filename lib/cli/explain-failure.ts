import { ChatError } from "../chat-client/index.ts";
import { PaymentError, type PaymentErrorCode } from "../x402/client/index.ts";

const OTHER_OFFER = "The shop asks for a kind of payment that I don't make. Nothing was paid.";
const NOT_ALLOWED = "My owner has not allowed me to pay there. Nothing was paid; ask my owner.";

const payments: Readonly<Record<PaymentErrorCode, string>> = {
  no_offer: OTHER_OFFER,
  unknown_network: OTHER_OFFER,
  unknown_scheme: OTHER_OFFER,
  unknown_version: OTHER_OFFER,
  not_hbd: OTHER_OFFER,
  malformed_offer: OTHER_OFFER,
  splits_not_supported: OTHER_OFFER,
  flow_not_allowed: OTHER_OFFER,
  offer_not_signed: "The shop does not sign its offers. Nothing was paid; ask my owner.",
  offer_signature_invalid: "The shop's signature is not the one I expect. Nothing was paid; ask my owner.",
  offer_expired: "The shop's offer has expired. Nothing was paid; ask me again.",
  over_limit: "It costs more than I may pay for one article. Nothing was paid; ask for a cheaper one.",
  over_budget: "It exceeds what is left of my budget. Nothing was paid; my owner can raise the budget.",
  budget_unavailable: "I can't read my budget right now. Ask me again in a minute.",
  too_many_under_way: "Too many payments for it are still on their way. Ask me again in a minute.",
  host_not_allowed: NOT_ALLOWED,
  payee_not_allowed: NOT_ALLOWED,
  not_approved: "My owner has not approved the payment. Nothing was paid; ask me again if you still need it.",
  resource_mismatch: "The shop's offer is for something else. Nothing was paid.",
  redirected: "The shop sent me to another address. Nothing was paid.",
  redirected_after_payment:
    "The shop sent me to another address after I paid, and I can't go on from there. Ask my owner.",
  transfer_not_sent: "My wallet did not send the transfer. Nothing was paid; ask me again.",
  transfer_unconfirmed: "I can't see whether my wallet has paid. Ask me again in a minute: I pay only once.",
  signing_failed: "I can't sign the payment. Nothing was paid; my owner has to check my key.",
  chain_unavailable: "No chain node answers me. Ask me again in a minute.",
};

/** Explains a failure in the agent's words, with a next step. It contains no text of a server, a person or an error. */
export function explainFailure(error: unknown): string {
  if (error instanceof PaymentError) return payments[error.code];
  if (error instanceof ChatError && error.code === "rate_limited")
    return "I was asked too often. Ask me again in a minute.";
  if (error instanceof ChatError) return "The shop can't be reached. Ask me again in a minute.";
  return "Something went wrong on my side. Ask me again in a minute.";
}
