import { describe, expect, test } from "vitest";
import { classify, isUncharged, isUndecided } from "#app/(demo)/_pay/failure.ts";
import { WalletError } from "#app/(demo)/_session/keychain.ts";
import { PaymentError } from "#lib/x402/client/index.ts";

describe("failures of a payment", () => {
  test.each([
    [402, "insufficient_funds", "insufficient_funds"],
    [402, "transaction_expired", "expired"],
    [402, "requirements_expired", "expired"],
    [402, "authority_not_satisfied", "not_authorized"],
    [402, "wrong_chain", "wrong_chain"],
    [402, "payment_replayed", "replayed"],
    [402, "constructor", "refused"],
    [503, "settlement_pending", "pending"],
    [503, "facilitator_unavailable", "facilitator_down"],
    [500, "internal", "pending"],
    [404, "not_found", "gone"],
  ])("classifies the answer %i %s as %s", (status, code, kind) =>
    expect(classify({ status, code })).toBe(kind),
  );

  test.each([
    [new PaymentError("over_limit", "over_limit"), "over_limit"],
    [new PaymentError("over_budget", "over_budget"), "over_budget"],
    [new PaymentError("offer_expired", "offer_expired"), "expired"],
    [new PaymentError("chain_unavailable", "chain_unavailable"), "chain_down"],
    [
      new PaymentError("signing_failed", "cancelled", { cause: new WalletError({ isCancelled: true }) }),
      "cancelled",
    ],
    [new PaymentError("signing_failed", "refused by the wallet", { cause: new WalletError() }), "wallet"],
    [new PaymentError("signing_failed", "signing_failed"), "wallet"],
    [new PaymentError("malformed_offer", "malformed_offer"), "refused"],
    [new TypeError("fetch failed"), "offline"],
  ])("classifies %s as %s", (error, kind) => expect(classify({ error })).toBe(kind));

  test.each([
    [404, "not_found"],
    [401, "unauthorized"],
    [408, ""],
    [425, ""],
    [429, "rate_limited"],
    [500, "internal"],
    [402, ""],
    [402, "payment_required"],
  ])("leaves a sent payment pending after the answer %i '%s'", (status, code) =>
    expect(isUndecided(classify({ status, code }, true))).toBe(true),
  );

  test("ends a sent payment on a refusal with a reason, not on an error", () => {
    expect(classify({ status: 402, code: "insufficient_funds" }, true)).toBe("insufficient_funds");
    expect(classify({ status: 402, code: "payment_replayed" }, true)).toBe("replayed");
    expect(classify({ error: new PaymentError("redirected_after_payment", "") }, true)).toBe("pending");
  });

  test("treats a payment that may still settle as undecided and spent, and a failed one as neither", () => {
    for (const kind of ["pending", "facilitator_down", "offline"] as const)
      expect([isUndecided(kind), isUncharged(kind)]).toEqual([true, false]);
    for (const kind of ["insufficient_funds", "expired", "cancelled", "refused"] as const)
      expect([isUndecided(kind), isUncharged(kind)]).toEqual([false, true]);
    expect(isUncharged("replayed")).toBe(false);
  });
});
