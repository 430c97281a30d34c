import { expect, test, vi } from "vitest";
import { presentClaim } from "#lib/x402/client/present-claim.ts";
import { decodeBase64Json, MAX_SENT_CHARACTERS } from "#lib/x402/header.ts";
import type { TransferOffer } from "#lib/x402/types.ts";

const url = "https://shop.example/article";
const offer: TransferOffer = {
  ...{ scheme: "exact", network: "hive:beeab0de", amount: "50", asset: "HBD", payTo: "shop" },
  maxTimeoutSeconds: 900,
  extra: {
    ...{ assetTransferMethod: "memo", paymentFlow: "upfront", memo: "x402:ABC", claim: "secret" },
    hiveUri: "hive://sign/op/x",
  },
};
const present = (answer: () => Promise<Response> | Response) => {
  const fetcher = vi.fn<typeof fetch>(async () => answer());
  return { fetcher, outcome: presentClaim(url, offer, { fetch: fetcher }) };
};
const refusal = (body: object, headers = {}) => Response.json(body, { status: 402, headers });

test("a claim is sent to its own address alone, and follows no redirect", async () => {
  const { fetcher, outcome } = present(() => new Response("content"));
  await expect(outcome).resolves.toMatchObject({ kind: "paid" });
  const [asked, init] = fetcher.mock.calls[0] ?? [];
  expect([asked, init?.redirect]).toEqual([url, "error"]);
  const header = new Headers(init?.headers).get("payment-signature") ?? "";
  expect(decodeBase64Json(header, MAX_SENT_CHARACTERS)).toEqual({
    ...{ x402Version: 2, accepted: offer, payload: { type: "memo", claim: "secret" } },
  });
});

test.each(["payment_not_seen", "paid_too_little", "paid_too_much", "paid_other_coin", "paid_other_memo"])(
  "a claim refused with %s can still be paid",
  async (code) => {
    const returns = [{ txId: "1", operation: 0 }];
    const { outcome } = present(() => refusal({ code, returns }));
    await expect(outcome).resolves.toEqual({ kind: "waiting", isServed: true, seconds: 1, returns });
  },
);

test.each(["payment_replayed", "invalid_claim", "paid_too_late", "requirements_expired"])(
  "a claim refused with %s buys nothing any more",
  async (code) => {
    const { outcome } = present(() => refusal({ code }));
    await expect(outcome).resolves.toMatchObject({ kind: "refused", code, returns: [] });
  },
);

test.each([
  ["does not answer", () => Promise.reject(new TypeError("offline")), 2],
  ["is busy", () => new Response(null, { status: 503, headers: { "retry-after": "4" } }), 4],
  ["asks for a long pause", () => new Response(null, { status: 429, headers: { "retry-after": "900" } }), 10],
] as const)("a claim waits if the server %s", async (_name, answer, seconds) => {
  const { outcome } = present(answer);
  await expect(outcome).resolves.toEqual({ kind: "waiting", isServed: false, seconds, returns: [] });
});

test("a claim waits if the server has not begun its answer after five minutes", async () => {
  vi.useFakeTimers();
  const fetcher = vi.fn<typeof fetch>(
    (_url, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(new Error("aborted")));
      }),
  );
  const outcome = presentClaim(url, offer, { fetch: fetcher });
  await vi.advanceTimersByTimeAsync(300_000);
  vi.useRealTimers();
  await expect(outcome).resolves.toEqual({ kind: "waiting", isServed: false, seconds: 2, returns: [] });
});

test("the content of a paid claim may take longer than the server's answer", async () => {
  vi.useFakeTimers();
  let signal: AbortSignal | null | undefined;
  const fetcher: typeof fetch = async (_url, init) => {
    signal = init?.signal;
    return new Response("content");
  };
  await presentClaim(url, offer, { fetch: fetcher });
  await vi.advanceTimersByTimeAsync(900_000);
  vi.useRealTimers();
  expect(signal?.aborted).toBe(false);
});

test.each([
  ["a session that has ended", () => Response.json({ code: "unauthenticated" }, { status: 401 })],
  ["an address that is gone for now", () => new Response("<h1>Not found</h1>", { status: 404 })],
  ["a server in between that removes the header", () => refusal({ code: "payment_required" })],
  ["a refusal without a reason", () => refusal({})],
])("a claim waits after the answer of %s", async (_name, answer) => {
  const { outcome } = present(answer);
  await expect(outcome).resolves.toEqual({ kind: "waiting", isServed: false, seconds: 10, returns: [] });
});
