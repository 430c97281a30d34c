import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  claimsFor,
  dropClaim,
  type KeptClaim,
  keepClaim,
  listClaims,
  nowMs,
  openClaimFor,
} from "#app/(demo)/_pay/kept-claims.ts";
import { memoryStorage } from "../../../harness/memory-storage.ts";

const DAY_MS = 86_400_000;
const target = { method: "GET", url: "/api/demo/articles/one" } as const;
const offerOf = (claim: string): KeptClaim["offer"] => ({
  ...{ scheme: "exact", network: "hive:beeab0de", amount: "50", asset: "HBD", payTo: "shop" },
  maxTimeoutSeconds: 900,
  extra: {
    ...{ assetTransferMethod: "memo", paymentFlow: "upfront", memo: "x402:ABC", claim },
    hiveUri: "hive://sign/op/x",
  },
});
const kept = (): KeptClaim => ({
  ...{ target, title: "One", offer: offerOf("first"), endsAtMs: nowMs() + 1000, person: null },
});
const store = (value: unknown) => localStorage.setItem("hivegate.claims", JSON.stringify(value));

beforeEach(() => {
  vi.stubGlobal("localStorage", memoryStorage());
  vi.stubGlobal("location", new URL("https://chat.example/articles/one"));
});
afterEach(() => vi.unstubAllGlobals());

test("a stored claim is found for its own target, until it is dropped", () => {
  const claim = keepClaim(target, "One", offerOf("first"));
  expect(claimsFor(target)).toEqual([claim]);
  expect(openClaimFor(target)).toEqual(claim);
  expect(claimsFor({ ...target, method: "POST" })).toEqual([]);
  dropClaim(claim);
  expect(listClaims()).toEqual([]);
});

test("a claim that has ended is still presented for 29 days, and not shown", () => {
  const ended = { ...kept(), endsAtMs: nowMs() - 28 * DAY_MS };
  store([ended, { ...ended, endsAtMs: nowMs() - 29 * DAY_MS }]);
  expect(claimsFor(target)).toEqual([ended]);
  expect(openClaimFor(target)).toBeUndefined();
});

test("a claim of another user is not listed", () => {
  store([{ ...kept(), person: "bob" }]);
  expect(listClaims()).toEqual([]);
});

test("a claim for another site, and a value that is none, are not listed", () => {
  const claim = kept();
  const elsewhere = ["https://other.example/x", "//other.example/x", "data:,x"].map((url) => ({
    ...claim,
    target: { method: "GET", url },
  }));
  store([null, 1, "x", {}, { ...claim, target: null }, { ...claim, offer: {} }, ...elsewhere, claim]);
  expect(listClaims()).toEqual([claim]);
  for (const nothing of [null, {}, "x", 1]) {
    store(nothing);
    expect(listClaims()).toEqual([]);
  }
});
