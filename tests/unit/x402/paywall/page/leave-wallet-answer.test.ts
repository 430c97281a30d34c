import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { leaveWalletAnswer } from "#lib/x402/paywall/page/leave-wallet-answer.ts";
import { memoryStorage } from "#tests/harness/memory-storage.ts";

const txId = "0123456789abcdef0123456789abcdef01234567";
const replace = vi.fn<(address: string) => void>();
const open = (target: string) => {
  const { href, pathname, search } = new URL(target, "https://shop.example");
  vi.stubGlobal("location", { href, pathname, search, replace });
};
const keep = (place: string) =>
  localStorage.setItem(
    `x402-claims:${place}#secret`,
    JSON.stringify({
      offer: { payTo: "shop", amount: "50", extra: { claim: "secret", memo: "x402:ABC" } },
      endsAtMs: Date.now() + 1000,
    }),
  );

beforeEach(() => vi.stubGlobal("localStorage", memoryStorage()));
afterEach(() => {
  vi.unstubAllGlobals();
  replace.mockReset();
});

test.each([
  ["/article", `/article?id=${txId}`],
  ["/article?q=a%20b&all", `/article?q=a%20b&all&id=${txId}`],
  ["/article?q=a%20b&all", `/article?id=${txId}&q=a%20b&all`],
  ["/article?q='x'", `/article?q='x'&id=${txId}`],
])(
  "a page with a claim of %s leaves a wallet's answer for that address, to the letter",
  (place, answered) => {
    keep(new URL(place, "https://shop.example").href.slice("https://shop.example".length));
    open(answered);
    leaveWalletAnswer();
    expect(replace.mock.calls).toEqual([[new URL(place, "https://shop.example").href]]);
  },
);

test.each([`/article?id=${txId}`, "/article?id=7"])("a page without a claim stays at %s", (target) => {
  open(target);
  leaveWalletAnswer();
  expect(replace).not.toHaveBeenCalled();
});
