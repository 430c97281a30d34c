import type { strings } from "./strings.en.ts";

export type FailureKind = keyof typeof strings.failures;

/** The outcome of a failed payment: an answer without the content, or an error. */
export type Problem = { status: number; code: string } | { error: unknown };

const ofCode: Record<string, FailureKind> = {
  insufficient_funds: "insufficient_funds",
  transaction_expired: "expired",
  requirements_expired: "expired",
  offer_expired: "expired",
  over_limit: "over_limit",
  over_budget: "over_budget",
  self_payment: "self_payment",
  account_not_found: "account_not_found",
  authority_not_satisfied: "not_authorized",
  signature_invalid: "not_authorized",
  wrong_chain: "wrong_chain",
  payment_replayed: "replayed",
  settlement_pending: "pending",
  facilitator_unavailable: "facilitator_down",
  overloaded: "facilitator_down",
  degraded: "facilitator_down",
  chain_unavailable: "chain_down",
  unknown_network: "other_network",
  not_found: "gone",
  rate_limited: "too_many",
};

/**
 * Classifies a failure for people. A sent payment only counts as certainly not charged if it was refused by
 * 402: otherwise an earlier attempt may have been accepted.
 */
export function classify(problem: Problem, isSent = false): FailureKind {
  const kind = kindOf(problem);
  return isSent && !isUndecided(kind) && !isRefusal(problem) ? "pending" : kind;
}

/**
 * Returns whether a paywall refused a payment and stated a reason. The code `payment_required` only means
 * that no payment was received.
 */
const isRefusal = (problem: Problem) =>
  "status" in problem && problem.status === 402 && !["", "payment_required"].includes(problem.code);

function kindOf(problem: Problem): FailureKind {
  if ("status" in problem) {
    const known = Object.hasOwn(ofCode, problem.code) ? ofCode[problem.code] : undefined;
    return known ?? (problem.status >= 500 ? "pending" : "refused");
  }
  const error = problem.error as {
    name?: string;
    code?: string;
    cause?: unknown;
    isCancelled?: boolean;
    isStillAsking?: boolean;
  };
  if (error?.name === "WalletError" && error.isStillAsking) return "wallet_asking";
  if (error?.name === "WalletError") return error.isCancelled ? "cancelled" : "wallet";
  if (error?.name !== "PaymentError") return "offline";
  if (error.code === "signing_failed") return error.cause ? classifyCause(error.cause) : "wallet";
  // To the client, an offer that pays the payer looks malformed.
  return ofCode[error.code ?? ""] ?? "refused";
}

/** Returns whether the payment may be on its way, so the next attempt must send the same payment. */
export function isUndecided(kind: FailureKind): boolean {
  return kind === "pending" || kind === "facilitator_down" || kind === "offline";
}

/** Returns whether it is certain that nothing was charged. */
export function isUncharged(kind: FailureKind): boolean {
  return !isUndecided(kind) && kind !== "replayed";
}

function classifyCause(cause: unknown): FailureKind {
  return (cause as { name?: string }).name === "WalletError" ? kindOf({ error: cause }) : "wallet";
}
