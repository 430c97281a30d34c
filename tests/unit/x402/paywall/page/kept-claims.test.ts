import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  dropClaim,
  endClaim,
  type KeptClaim,
  keepClaim,
  nowMs,
  readClaims,
} from "#lib/x402/paywall/page/kept-claims.ts";
import { memoryStorage } from "#tests/harness/memory-storage.ts";
import { interleave, storageKeys } from "#tests/harness/shared-storage.ts";
import { transferOfferOf } from "#tests/harness/transfer-offer.ts";

const DAY_MS = 86_400_000;
const FORMER = "x402-claims:/article?part=1";
const claimOf = (claim: string, leftMs = 600_000): KeptClaim => ({
  offer: transferOfferOf(claim),
  endsAtMs: nowMs() + leftMs,
});
const names = () => readClaims().map(({ offer }) => offer.extra.claim);
const store = (key: string, value: unknown) => localStorage.setItem(key, JSON.stringify(value));
const open = (address: string) => vi.stubGlobal("location", new URL(address, "https://shop.example"));

beforeEach(() => {
  vi.stubGlobal("localStorage", memoryStorage());
  open("/article?part=1");
});
afterEach(() => {
  // The page itself holds what its storage does not.
  for (const claim of readClaims()) dropClaim(claim);
  vi.unstubAllGlobals();
});

test("a stored claim is found at its own address, until it is dropped", () => {
  const claim = keepClaim(transferOfferOf("first"));
  expect(readClaims()).toEqual([claim]);
  for (const other of ["/article", "/article?part=10", "/article?part=1&all"]) {
    open(other);
    expect(readClaims()).toEqual([]);
  }
  open("/article?part=1");
  dropClaim(claim);
  expect([readClaims(), storageKeys()]).toEqual([[], []]);
});

test("two pages that store their claims at once keep both", () => {
  interleave(() => keepClaim(transferOfferOf("other")));
  keepClaim(transferOfferOf("first"));
  expect(names().sort()).toEqual(["first", "other"]);
});

test("a page that stores a claim while another page drops one changes nothing about that", () => {
  const first = keepClaim(transferOfferOf("first"));
  interleave(() => dropClaim(first));
  keepClaim(transferOfferOf("second"));
  expect(names()).toEqual(["second"]);
});

test("a page that drops a claim while another page stores one changes nothing about that", () => {
  const first = keepClaim(transferOfferOf("first"));
  interleave(() => keepClaim(transferOfferOf("second")));
  dropClaim(first);
  expect(names()).toEqual(["second"]);
});

test("an ended claim is kept with its end, unless another page has dropped it", () => {
  const [first, second] = [keepClaim(transferOfferOf("first")), keepClaim(transferOfferOf("second"))];
  dropClaim(second);
  endClaim(second);
  endClaim(first);
  const [kept] = readClaims();
  expect(names()).toEqual(["first"]);
  expect(kept?.endsAtMs).toBeLessThanOrEqual(nowMs());
});

test("all of 30 claims are kept, oldest first", () => {
  const all = Array.from({ length: 30 }, (_, index) => `claim ${index}`);
  for (const name of all) keepClaim(transferOfferOf(name));
  expect(names()).toEqual(all);
});

test("claims in the list of a former version are moved to keys of their own", () => {
  const list = [claimOf("first"), claimOf("second", 700_000)];
  store(FORMER, list);
  expect(readClaims()).toEqual(list);
  expect(storageKeys()).toEqual([`${FORMER}#first`, `${FORMER}#second`]);
  dropClaim(claimOf("first"));
  expect(names()).toEqual(["second"]);
});

test("a former version's claims for which there is no room stay in its list until they are dropped", () => {
  const list = [claimOf("first"), claimOf("second", 700_000)];
  const text = JSON.stringify(list);
  vi.stubGlobal("localStorage", memoryStorage(FORMER.length + text.length));
  localStorage.setItem(FORMER, text);
  expect(readClaims()).toEqual(list);
  expect([storageKeys(), localStorage.getItem(FORMER)]).toEqual([[FORMER], text]);
  dropClaim(claimOf("first"));
  expect(names()).toEqual(["second"]);
  dropClaim(claimOf("second"));
  expect([names(), storageKeys()]).toEqual([[], []]);
});

test("a claim outlasts a wrong clock by 400 days, and is removed then when a page stores its next claim", () => {
  open("/elsewhere");
  store("x402-claims:/elsewhere#late", claimOf("late", -399 * DAY_MS));
  store("x402-claims:/elsewhere#gone", claimOf("gone", -400 * DAY_MS));
  expect(names()).toEqual(["late"]);
  open("/article?part=1");
  keepClaim(transferOfferOf("first"));
  expect(storageKeys()).toEqual([`${FORMER}#first`, "x402-claims:/elsewhere#late"]);
});

test("values that are no claims are ignored, and removed only under the page's own keys", () => {
  const good = claimOf("good");
  const broken = [
    ...[
      null,
      1,
      "x",
      {},
      [good],
      { ...good, offer: null },
      { ...good, endsAtMs: "soon" },
      { offer: good.offer },
    ],
    ...[
      { ...good, offer: { ...good.offer, amount: "-5" } },
      { ...good, offer: { ...good.offer, payTo: 1 } },
    ],
    { ...good, offer: { ...good.offer, extra: { claim: "good" } } },
  ];
  for (const value of broken) {
    store(`${FORMER}#good`, value);
    store(FORMER, [value]);
    expect(readClaims()).toEqual([]);
  }
  store(`${FORMER}#another`, good);
  localStorage.setItem(`${FORMER}#text`, "{");
  localStorage.setItem("x402-claims:/elsewhere", "no list");
  store("x402-claim", good);
  expect(readClaims()).toEqual([]);
  keepClaim(transferOfferOf("first"));
  expect(storageKeys()).toEqual(["x402-claim", `${FORMER}#first`]);
});

/** Fills the storage but for a few characters, so that no further claim has room. */
function fillStorage(maxCharacters: number) {
  const used = storageKeys().reduce(
    (sum, key) => sum + key.length + (localStorage.getItem(key)?.length ?? 0),
    0,
  );
  localStorage.setItem("filled", "x".repeat(maxCharacters - used - 50));
}

test("a full storage gives up the claims that ended first, and none that can be paid in time", () => {
  vi.stubGlobal("localStorage", memoryStorage(5000));
  store(`${FORMER}#newer`, claimOf("newer", -1000));
  store("x402-claims:/elsewhere#older", claimOf("older", -2000));
  store(`${FORMER}#first`, claimOf("first"));
  fillStorage(5000);
  keepClaim(transferOfferOf("second"));
  expect(storageKeys()).toEqual([
    "filled",
    ...["first", "newer", "second"].map((name) => `${FORMER}#${name}`),
  ]);
  keepClaim(transferOfferOf("third"));
  keepClaim(transferOfferOf("fourth"));
  expect(storageKeys()).toEqual([
    "filled",
    ...["first", "second", "third"].map((name) => `${FORMER}#${name}`),
  ]);
  // The page goes on with a claim for which there is no room.
  expect(names()).toEqual(["first", "second", "third", "fourth"]);
});

test("a page without storage goes on with its claims", () => {
  vi.stubGlobal("localStorage", undefined);
  const claim = keepClaim(transferOfferOf("first"));
  expect(readClaims()).toEqual([claim]);
  dropClaim(claim);
  expect(readClaims()).toEqual([]);
});
