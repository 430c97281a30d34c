import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nowMs } from "#lib/x402/paywall/page/kept-claims.ts";
import { dropPayment, keepPayment, readPayments, termsOf } from "#lib/x402/paywall/page/kept-payments.ts";
import type { PaymentPayload } from "#lib/x402/types.ts";
import { memoryStorage } from "#tests/harness/memory-storage.ts";
import { fillStorage, storageKeys } from "#tests/harness/shared-storage.ts";
import { transferOfferOf } from "#tests/harness/transfer-offer.ts";

const DAY_MS = 86_400_000;
const PLACE = "x402-payments:/article?part=1";

const paymentOf = (signature: string, leftMs = 300_000) =>
  ({
    x402Version: 1,
    scheme: "exact",
    network: "chain:sandbox",
    payload: {
      signedTransaction: {
        ref_block_num: 1,
        ref_block_prefix: 2,
        expiration: new Date(nowMs() + leftMs).toISOString().slice(0, 19),
        operations: [["transfer", { from: "alice", to: "shop", amount: "0.050 HBD", memo: "x402:n" }]],
        extensions: [],
        signatures: [signature],
      },
      nonce: "n",
      holder: "secret",
    },
  }) satisfies PaymentPayload;
const store = (key: string, value: unknown) => localStorage.setItem(key, JSON.stringify(value));
const open = (address: string) => vi.stubGlobal("location", new URL(address, "https://shop.example"));

beforeEach(() => {
  vi.stubGlobal("localStorage", memoryStorage());
  open("/article?part=1");
});
afterEach(() => {
  // The page itself holds what it has sent.
  for (const payment of readPayments()) dropPayment(payment);
  vi.unstubAllGlobals();
});

test("a payment is stored whole under a key that holds no secret, until it is dropped", () => {
  const payment = paymentOf("one");
  keepPayment(payment);
  keepPayment(payment);
  expect(storageKeys()).toEqual([`${PLACE}#one`]);
  expect(JSON.parse(localStorage.getItem(`${PLACE}#one`) ?? "")).toEqual(payment);
  expect(readPayments()).toEqual([payment]);
  dropPayment(payment);
  expect([readPayments(), storageKeys()]).toEqual([[], []]);
});

test("a payment of another page is found at its own address, with the fragment left out", () => {
  const payment = paymentOf("one");
  store(`${PLACE}#one`, payment);
  open("/article?part=1#end");
  expect(readPayments()).toEqual([payment]);
  expect(termsOf(payment)).toMatchObject({ from: "alice", amount: "0.050 HBD" });
  for (const other of ["/article", "/article?part=10", "/article?part=1&all"]) {
    open(other);
    expect(readPayments()).toEqual([]);
  }
});

test("a payment outlasts a wrong clock by 400 days, and is removed then when a page stores its next one", () => {
  store("x402-payments:/elsewhere#late", paymentOf("late", -399 * DAY_MS));
  store("x402-payments:/elsewhere#gone", paymentOf("gone", -401 * DAY_MS));
  keepPayment(paymentOf("one"));
  expect(storageKeys()).toEqual([`${PLACE}#one`, "x402-payments:/elsewhere#late"]);
});

test("values that are no payments are ignored, and removed only under the page's own keys", () => {
  const good = paymentOf("one");
  const { signedTransaction } = good.payload;
  const withTransaction = (change: object) => ({
    ...good,
    payload: { ...good.payload, signedTransaction: { ...signedTransaction, ...change } },
  });
  for (const value of [
    ...[null, 1, "x", {}, [good], { ...good, payload: null }],
    ...[{ operations: [] }, { operations: [["transfer", { from: 1, amount: "0.050 HBD" }]] }].map(
      withTransaction,
    ),
    ...[{ signatures: [] }, { signatures: ["other"] }, { expiration: "soon" }].map(withTransaction),
  ]) {
    store(`${PLACE}#one`, value);
    expect(readPayments()).toEqual([]);
  }
  localStorage.setItem("x402-payments:/elsewhere#text", "{");
  store("x402-payment", good);
  keepPayment(paymentOf("two"));
  expect(storageKeys()).toEqual(["x402-payment", `${PLACE}#two`]);
});

test("a full storage gives up claims that have ended, but no payment", () => {
  vi.stubGlobal("localStorage", memoryStorage(5000));
  const [first, second] = [paymentOf("one", -DAY_MS), paymentOf("two")];
  keepPayment(first);
  store("x402-claims:/elsewhere#ended", {
    offer: { ...transferOfferOf("ended"), pad: "x".repeat(300) },
    endsAtMs: nowMs() - 1000,
  });
  fillStorage(5000);
  keepPayment(second);
  expect(storageKeys()).toEqual(["filled", `${PLACE}#one`, `${PLACE}#two`]);
  const third = paymentOf("three");
  keepPayment(third);
  expect(storageKeys()).toEqual(["filled", `${PLACE}#one`, `${PLACE}#two`]);
  // The page goes on with a payment for which there is no room.
  expect(readPayments()).toEqual([first, second, third]);
});

test("a page without storage goes on with its payment", () => {
  vi.stubGlobal("localStorage", undefined);
  const payment = paymentOf("one");
  keepPayment(payment);
  expect(readPayments()).toEqual([payment]);
  dropPayment(payment);
  expect(readPayments()).toEqual([]);
});
