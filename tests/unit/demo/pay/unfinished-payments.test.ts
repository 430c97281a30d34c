import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { listUnfinished } from "#app/(demo)/_pay/pay.ts";
import { memoryStorage } from "../../../harness/memory-storage.ts";

const kept = {
  target: { method: "GET", url: "/api/demo/articles/one" },
  title: "One",
  header: btoa(
    JSON.stringify({
      payload: {
        signedTransaction: {
          ref_block_num: 1,
          operations: [["transfer", { from: "alice", to: "shop", amount: "0.050 HBD" }]],
        },
      },
    }),
  ),
  person: null,
  until: Date.parse("2030-01-02"),
};

const keep = (value: unknown) => localStorage.setItem("hivegate.unfinished", JSON.stringify(value));

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2030-01-01") });
  vi.stubGlobal("localStorage", memoryStorage());
  vi.stubGlobal("location", new URL("https://chat.example/articles/one"));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a sent payment is found among other stored values", () => {
  const others = [null, 1, "x", [], {}, { ...kept, target: null }, { ...kept, title: 1 }];
  const unread = [
    { ...kept, header: "x" },
    { ...kept, header: btoa("{}") },
  ];
  keep([...others, ...unread, kept]);
  expect(listUnfinished()).toEqual([kept]);
  for (const nothing of [null, {}, "x", 1]) {
    keep(nothing);
    expect(listUnfinished()).toEqual([]);
  }
});

test("a stored payment for another site is not listed", () => {
  const to = (url: string) => ({ ...kept, target: { method: "GET", url } });
  keep(
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
