import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  dropUnfinished,
  keepUnfinished,
  listUnfinished,
  type Unfinished,
} from "#app/(demo)/_pay/unfinished-payments.ts";
import { memoryStorage } from "../../../harness/memory-storage.ts";
import { fillStorage, interleave, storageKeys } from "../../../harness/shared-storage.ts";

const DAY_MS = 86_400_000;
const now = Date.parse("2030-01-01");
const target = { method: "GET", url: "/api/demo/articles/one" } as const;

const headerOf = (signatures: unknown) =>
  btoa(
    JSON.stringify({
      payload: {
        signedTransaction: {
          ref_block_num: 1,
          operations: [["transfer", { from: "alice", to: "shop", amount: "0.050 HBD" }]],
          signatures,
        },
      },
    }),
  );

/** Returns a payment, which an earlier page has sent `ageMs` ago. */
const paymentOf = (signature: string, ageMs = 0): Unfinished => ({
  ...{ target, title: "One", header: headerOf([signature]), person: null },
  until: now + DAY_MS - ageMs,
});
const keyOf = (signature: string) => `hivegate.unfinished.${signature}`;
const store = (key: string, value: unknown) => localStorage.setItem(key, JSON.stringify(value));
const storeList = (value: unknown) => store("hivegate.unfinished", value);
const keep = (signature: string) => keepUnfinished(paymentOf(signature));
const drop = (signature: string) => dropUnfinished(headerOf([signature]));
const names = () => listUnfinished().map(({ header }) => header);
const headers = (...signatures: string[]) => signatures.map((signature) => headerOf([signature]));

beforeEach(() => {
  vi.useFakeTimers({ now });
  vi.stubGlobal("localStorage", memoryStorage());
  vi.stubGlobal("location", new URL("https://chat.example/articles/one"));
});
afterEach(() => {
  // The page itself holds what its storage does not.
  for (const { header } of listUnfinished()) dropUnfinished(header);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a stored payment is listed until its outcome is known", () => {
  keep("first");
  expect(listUnfinished()).toEqual([paymentOf("first")]);
  drop("other");
  expect(names()).toEqual(headers("first"));
  drop("first");
  expect([names(), storageKeys()]).toEqual([[], []]);
});

test("two pages that store their payments at once keep both", () => {
  interleave(() => keep("other"));
  keep("first");
  expect(names().sort()).toEqual(headers("first", "other").sort());
});

test("a page that finishes a payment while another page stores one changes nothing about that", () => {
  keep("first");
  interleave(() => keep("second"));
  drop("first");
  expect(names()).toEqual(headers("second"));
});

test("a page that stores a payment while another page finishes one changes nothing about that", () => {
  keep("first");
  interleave(() => drop("first"));
  keep("second");
  expect(names()).toEqual(headers("second"));
});

test("payments in the list of a former version are moved to keys of their own", () => {
  const list = [paymentOf("first", 2000), paymentOf("second", 1000)];
  storeList(list);
  expect(listUnfinished()).toEqual(list);
  expect(storageKeys()).toEqual(["first", "second"].map(keyOf));
  drop("first");
  expect(names()).toEqual(headers("second"));
});

test("a payment that a page of a former version adds while its list is moved is kept", () => {
  storeList([paymentOf("first")]);
  interleave(() => storeList([paymentOf("first"), paymentOf("second")]));
  listUnfinished();
  expect(storageKeys()).toEqual(["first", "second"].map(keyOf));
});

test("a former version's payments for which there is no room stay in its list until they are finished", () => {
  const list = [paymentOf("first", 2000), paymentOf("second", 1000)];
  const text = JSON.stringify(list);
  vi.stubGlobal("localStorage", memoryStorage("hivegate.unfinished".length + text.length));
  storeList(list);
  expect(listUnfinished()).toEqual(list);
  expect(storageKeys()).toEqual(["hivegate.unfinished"]);
  drop("first");
  expect(names()).toEqual(headers("second"));
  drop("second");
  expect([names(), storageKeys()]).toEqual([[], []]);
});

test("a sent payment is found among other stored values", () => {
  const first = paymentOf("first");
  const broken = [
    ...[null, 1, "x", [], {}, [first], { ...first, target: null }, { ...first, title: 1 }],
    ...["x", btoa("{}"), headerOf(null), headerOf([]), headerOf([1])].map((header) => ({ ...first, header })),
    { ...first, until: "tomorrow" },
  ];
  for (const value of broken) {
    store(keyOf("first"), value);
    storeList(value);
    expect(listUnfinished()).toEqual(Array.isArray(value) && value.length > 0 ? [first] : []);
    drop("first");
  }
  storeList([...broken, first]);
  store(keyOf("other"), paymentOf("another"));
  localStorage.setItem(keyOf("text"), "{");
  expect(listUnfinished()).toEqual([first]);
  keep("second");
  expect(storageKeys()).toEqual(["first", "second"].map(keyOf));
});

test("a stored payment for another site is not listed", () => {
  const to = (url: string) => ({ ...paymentOf("first"), target: { method: "GET", url } });
  storeList(
    [
      "https://other.example/x",
      "//other.example/x",
      "/\\other.example/x",
      "http://chat.example/x",
      "data:,x",
    ].map(to),
  );
  expect(listUnfinished()).toEqual([]);
});

test("a payment of another user is not listed, and stays stored", () => {
  store(keyOf("first"), { ...paymentOf("first"), person: "bob" });
  keep("second");
  expect(names()).toEqual(headers("second"));
  expect(storageKeys()).toEqual(["first", "second"].map(keyOf));
});

test("a payment is forgotten after a day", () => {
  keep("first");
  vi.setSystemTime(now + DAY_MS - 1);
  expect(names()).toEqual(headers("first"));
  vi.setSystemTime(now + DAY_MS);
  expect(names()).toEqual([]);
  keep("second");
  expect(storageKeys()).toEqual([keyOf("second")]);
});

test("of payments that can no longer be charged, the latest of up to 20 in all are kept", () => {
  const hour = 3_600_000;
  for (let age = 1; age <= 20; age++) store(keyOf(`${age}`), paymentOf(`${age}`, age * hour));
  keep("first");
  keep("second");
  expect(names()).toEqual(
    headers(...Array.from({ length: 18 }, (_, index) => `${18 - index}`), "first", "second"),
  );
});

test("all of 30 payments that may still be charged are kept", () => {
  const all = Array.from({ length: 30 }, (_, index) => `${index}`);
  for (const name of all) keep(name);
  vi.setSystemTime(now + 600_000);
  keep("last");
  expect(names()).toEqual(headers(...all, "last"));
});

test("a full storage gives up the oldest payments, and none that may still be charged", () => {
  const room = 5000;
  vi.stubGlobal("localStorage", memoryStorage(room));
  store(keyOf("newer"), paymentOf("newer", 601_000));
  store(keyOf("older"), paymentOf("older", 700_000));
  store(keyOf("first"), paymentOf("first", 600_000));
  fillStorage(room);
  keep("second");
  expect(storageKeys()).toEqual(["filled", ...["first", "newer", "second"].map(keyOf)]);
  keep("third");
  keep("fourth");
  expect(storageKeys()).toEqual(["filled", ...["first", "second", "third"].map(keyOf)]);
  // The page goes on with a payment for which there is no room.
  expect(names()).toEqual(headers("first", "second", "third", "fourth"));
});

test("a page without storage goes on with all its payments", () => {
  vi.stubGlobal("localStorage", undefined);
  keep("first");
  keep("second");
  expect(names()).toEqual(headers("first", "second"));
  drop("first");
  expect(names()).toEqual(headers("second"));
});
