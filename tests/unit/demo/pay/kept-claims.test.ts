import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  claimsFor,
  dropClaim,
  endClaim,
  isClaimAsked,
  type KeptClaim,
  keepClaim,
  listClaims,
  markClaimAsked,
  nowMs,
  openClaimFor,
  unmarkClaimAsked,
} from "#app/(demo)/_pay/kept-claims.ts";
import { memoryStorage } from "../../../harness/memory-storage.ts";
import { fillStorage, interleave, storageKeys } from "../../../harness/shared-storage.ts";
import { transferOfferOf } from "../../../harness/transfer-offer.ts";

const DAY_MS = 86_400_000;
const target = { method: "GET", url: "/api/demo/articles/one" } as const;
const claimOf = (claim: string, leftMs = 600_000): KeptClaim => ({
  ...{
    target,
    title: "One",
    offer: transferOfferOf(claim),
    endsAtMs: nowMs() + leftMs,
    person: null,
    isAsked: false,
  },
});
const keyOf = (claim: string) => `hivegate.claims.${claim}`;
const store = (key: string, value: unknown) => localStorage.setItem(key, JSON.stringify(value));
const keep = (claim: string) => keepClaim(target, "One", transferOfferOf(claim));
const names = () => listClaims().map(({ offer }) => offer.extra.claim);

beforeEach(() => {
  vi.stubGlobal("localStorage", memoryStorage());
  vi.stubGlobal("location", new URL("https://chat.example/articles/one"));
});
afterEach(() => {
  // The page itself holds what its storage does not.
  for (const claim of listClaims()) dropClaim(claim);
  vi.unstubAllGlobals();
});

test("a stored claim is found for its own target, until it is dropped", () => {
  const claim = keepClaim(target, "One", transferOfferOf("first"));
  expect(claimsFor(target)).toEqual([claim]);
  expect(openClaimFor(target)).toEqual(claim);
  expect(claimsFor({ ...target, method: "POST" })).toEqual([]);
  dropClaim(claim);
  expect(listClaims()).toEqual([]);
});

test("two pages that store their claims at once keep both", () => {
  interleave(() => keep("other"));
  keep("first");
  expect(names().sort()).toEqual(["first", "other"]);
});

test("a page that stores a claim while another page drops one changes nothing about that", () => {
  const first = keep("first");
  interleave(() => dropClaim(first));
  keep("second");
  expect(names()).toEqual(["second"]);
});

test("a page that drops a claim while another page stores one changes nothing about that", () => {
  const first = keep("first");
  interleave(() => keep("second"));
  dropClaim(first);
  expect(names()).toEqual(["second"]);
});

test("an ended claim is shown no more, but kept with its mark", () => {
  const [first, second] = [keep("first"), keep("second")];
  markClaimAsked(first);
  dropClaim(second);
  endClaim(second);
  endClaim(first);
  expect([openClaimFor(target), names(), isClaimAsked(first)]).toEqual([undefined, ["first"], true]);
});

test("a claim stays marked as asked if another page stores or drops one meanwhile", () => {
  const [first, second] = [keep("first"), keep("second")];
  interleave(() => markClaimAsked(first));
  keep("third");
  interleave(() => markClaimAsked(second));
  dropClaim(listClaims()[2] ?? first);
  expect([isClaimAsked(first), isClaimAsked(second), names()]).toEqual([true, true, ["first", "second"]]);
});

test("a claim is marked as asked once, until the mark is removed", () => {
  const claim = keep("first");
  expect([markClaimAsked(claim), markClaimAsked(claim), isClaimAsked(claim)]).toEqual([true, false, true]);
  unmarkClaimAsked(claim);
  expect([isClaimAsked(claim), markClaimAsked(claim)]).toEqual([false, true]);
});

test("all of 30 claims are kept, oldest first", () => {
  const all = Array.from({ length: 30 }, (_, index) => `claim ${index}`);
  for (const name of all) keep(name);
  expect(names()).toEqual(all);
});

test("claims in the list of a former version are moved to keys of their own, with their marks", () => {
  const { isAsked: _, ...first } = claimOf("first");
  const second = { ...claimOf("second", 700_000), isAsked: true };
  store("hivegate.claims", [first, second]);
  expect(listClaims()).toEqual([{ ...first, isAsked: false }, second]);
  expect(storageKeys()).toEqual(["first", "second"].map(keyOf));
  expect([isClaimAsked(first), isClaimAsked(second)]).toEqual([false, true]);
  dropClaim(first);
  expect(names()).toEqual(["second"]);
});

test("a former version's claims for which there is no room stay in its list until they are dropped", () => {
  const list = [claimOf("first"), claimOf("second", 700_000)];
  const text = JSON.stringify(list);
  vi.stubGlobal("localStorage", memoryStorage("hivegate.claims".length + text.length));
  localStorage.setItem("hivegate.claims", text);
  expect(listClaims()).toEqual(list);
  expect([storageKeys(), localStorage.getItem("hivegate.claims")]).toEqual([["hivegate.claims"], text]);
  dropClaim(claimOf("first"));
  expect(names()).toEqual(["second"]);
  dropClaim(claimOf("second"));
  expect([names(), storageKeys()]).toEqual([[], []]);
});

test("a page that found no room for a former version's claim hears that another page has found some", () => {
  const first = claimOf("first");
  const text = JSON.stringify([first]);
  vi.stubGlobal("localStorage", memoryStorage("hivegate.claims".length + text.length));
  localStorage.setItem("hivegate.claims", text);
  expect(isClaimAsked(first)).toBe(false);
  vi.stubGlobal("localStorage", memoryStorage());
  store(keyOf("first"), { ...first, isAsked: true });
  expect(isClaimAsked(first)).toBe(true);
});

test("a claim that has ended outlasts a wrong clock by 400 days, and is not shown", () => {
  const ended = claimOf("late", -399 * DAY_MS);
  store(keyOf("late"), ended);
  store(keyOf("gone"), claimOf("gone", -400 * DAY_MS));
  expect(claimsFor(target)).toEqual([ended]);
  expect(openClaimFor(target)).toBeUndefined();
  keep("first");
  expect(storageKeys()).toEqual(["first", "late"].map(keyOf));
});

test("a claim of another user is not listed, and stays stored", () => {
  store(keyOf("first"), { ...claimOf("first"), person: "bob" });
  expect(listClaims()).toEqual([]);
  keep("second");
  expect(storageKeys()).toEqual(["first", "second"].map(keyOf));
});

test("claims for another site, and values that are none, are ignored, and removed only under own keys", () => {
  const claim = claimOf("first");
  const elsewhere = ["https://other.example/x", "//other.example/x", "data:,x"].map((url) => ({
    ...claim,
    target: { method: "GET", url },
  }));
  const broken = [
    ...[null, 1, "x", {}, [claim], { ...claim, target: null }, { ...claim, offer: {} }],
    ...[
      { ...claim, offer: { ...claim.offer, amount: "-5" } },
      { ...claim, endsAtMs: "soon" },
    ],
    ...elsewhere,
  ];
  for (const value of broken) {
    store(keyOf("first"), value);
    if (!Array.isArray(value)) store("hivegate.claims", value);
    expect(listClaims()).toEqual([]);
  }
  store("hivegate.claims", [...broken, claimOf("second")]);
  expect(names()).toEqual(["second"]);
  store(keyOf("another"), claim);
  localStorage.setItem(keyOf("text"), "{");
  store("hivegate.claim", claim);
  keep("third");
  expect(names()).toEqual(["second", "third"]);
  expect(storageKeys()).toEqual(["hivegate.claim", ...["second", "third"].map(keyOf)]);
});

test("a full storage gives up the claims that ended first, and none that can be paid in time", () => {
  vi.stubGlobal("localStorage", memoryStorage(5000));
  store(keyOf("newer"), claimOf("newer", -1000));
  store(keyOf("older"), claimOf("older", -2000));
  store(keyOf("first"), claimOf("first"));
  fillStorage(5000);
  keep("second");
  expect(storageKeys()).toEqual(["filled", ...["first", "newer", "second"].map(keyOf)]);
  keep("third");
  keep("fourth");
  expect(storageKeys()).toEqual(["filled", ...["first", "second", "third"].map(keyOf)]);
  // The page goes on with a claim for which there is no room.
  expect(names()).toEqual(["first", "second", "third", "fourth"]);
});

test("a claim that a full storage keeps in a former version's list gives way once it has ended", () => {
  vi.stubGlobal("localStorage", memoryStorage(5000));
  store("hivegate.claims", [claimOf("ended", -1000), claimOf("first")]);
  fillStorage(5000, 0);
  keep("second");
  expect(names()).toEqual(["first", "second"]);
  expect(storageKeys()).not.toContain(keyOf("ended"));
  expect(localStorage.getItem("hivegate.claims") ?? "").not.toContain("ended");
});

test("a full storage has room for the mark of an asked claim, without giving up another", () => {
  vi.stubGlobal("localStorage", memoryStorage(5000));
  store(keyOf("ended"), claimOf("ended", -1000));
  const claim = keep("first");
  fillStorage(5000, 0);
  expect(markClaimAsked(claim)).toBe(true);
  expect(JSON.parse(localStorage.getItem(keyOf("first")) ?? "null")).toEqual({ ...claim, isAsked: true });
  expect(names()).toEqual(["ended", "first"]);
});

test("a page without storage goes on with all its claims", () => {
  vi.stubGlobal("localStorage", undefined);
  const ended = keepClaim(target, "One", { ...transferOfferOf("ended"), maxTimeoutSeconds: -1 });
  const claim = keep("first");
  expect(listClaims()).toEqual([ended, claim]);
});
