import { expect, test } from "vitest";
import { createMemoryStore } from "#lib/x402/memory-store.ts";
import { withPaywall } from "#lib/x402/next.ts";
import type {
  Facilitator,
  PaymentRequired,
  PaymentRequiredV2,
  TransferOffer,
  TransferToReturn,
} from "#lib/x402/types.ts";
import { decodeHeader, receiptOf } from "../../../harness/ask-paid.ts";
import { echo, openShop } from "../../../harness/open-shop.ts";
import {
  presentClaim,
  sendTransfer,
  sendTransfers,
  transferOfferOf,
} from "../../../harness/send-transfer.ts";

const { shop, sell, serve } = await openShop();

const secret = "s".repeat(32);
const terms = { transfers: true, secret, store: createMemoryStore() };
const offerAt = async (url: string) => transferOfferOf(await fetch(url));
const present = (url: string, offer: TransferOffer, claim?: string) =>
  fetch(url, { headers: presentClaim(offer, claim) });
/** Presents a claim until the paywall has seen its transfer. */
async function untilSeen(url: string, offer: TransferOffer): Promise<Response> {
  for (;;) {
    const response = await present(url, offer);
    if (response.status !== 503 && response.status !== 402) return response;
    const { code } = (await response.clone().json()) as { code: string };
    if (response.status === 402 && code !== "payment_not_seen") return response;
    await response.body?.cancel();
  }
}
const refusalOf = async (response: Response) => {
  expect(response.status).toBe(402);
  return (await response.json()) as PaymentRequired;
};

test("an offer by transfer has a memo and a claim, in the body and in the header of version 2", async () => {
  const url = await sell(echo, terms);
  const response = await fetch(url);
  const version2 = decodeHeader<PaymentRequiredV2>(response, "payment-required");
  const offer = await transferOfferOf(response);
  expect(version2.accepts.map(({ extra }) => extra?.assetTransferMethod)).toEqual([undefined, "memo"]);
  expect(version2.accepts[1]).toEqual(offer);
  expect(offer).toMatchObject({ amount: "50", asset: "HBD", payTo: "shop", maxTimeoutSeconds: 900 });
  expect(offer.extra.memo).toMatch(/^x402:[A-Z2-7]{32}$/);
});

test("no transfer is offered unless the seller asks for it", async () => {
  const { transfer } = await refusalOf(await fetch(await sell(echo)));
  expect(transfer).toBeUndefined();
});

test("a claim opens the page once its transfer is in a block, for its payer, and once", async () => {
  const url = await sell(echo, terms);
  const offer = await offerAt(url);
  const unseen = await present(url, offer);
  expect(unseen.headers.get("retry-after")).toBe("1");
  const { code, transfer } = await refusalOf(unseen);
  expect(code).toBe("payment_not_seen");
  expect(transfer?.extra.claim).toBe(offer.extra.claim);
  const txId = await sendTransfer(shop.chain, { from: "bob", memo: offer.extra.memo });
  const response = await untilSeen(url, offer);
  expect(response.status).toBe(200);
  expect(receiptOf(response)).toMatchObject({ success: true, payer: "bob", txId });
  expect(await response.json()).toEqual({ payer: "bob", txId });
  expect(await refusalOf(await present(url, offer))).toMatchObject({ code: "payment_replayed" });
});

test("a memo opens nothing for callers with another claim", async () => {
  const url = await sell(echo, terms);
  const offer = await offerAt(url);
  const stolen = await offerAt(url);
  await sendTransfer(shop.chain, { memo: offer.extra.memo });
  expect((await untilSeen(url, offer)).status).toBe(200);
  const forged = { ...stolen, extra: { ...stolen.extra, memo: offer.extra.memo } };
  expect(await refusalOf(await present(url, forged))).toMatchObject({ code: "payment_not_seen" });
});

test("a claim of another page, of another seller or invented is refused", async () => {
  const url = await sell(echo, terms);
  const elsewhere = await offerAt(`${url}/other`);
  const foreign = await offerAt(await sell(echo, { ...terms, secret: "other" }));
  for (const claim of [elsewhere.extra.claim, foreign.extra.claim, "A".repeat(100)])
    expect(await refusalOf(await present(url, elsewhere, claim))).toMatchObject({ code: "invalid_claim" });
});

test("a handler that failed runs again for the same claim, without a second transfer", async () => {
  let calls = 0;
  const url = await sell(
    (request, context) => (calls++ === 0 ? Response.json({}, { status: 503 }) : echo(request, context)),
    terms,
  );
  const offer = await offerAt(url);
  await sendTransfer(shop.chain, { memo: offer.extra.memo });
  expect((await untilSeen(url, offer)).status).toBe(200);
  expect(calls).toBe(2);
});

test.each([
  { mils: 49, cause: "paid_too_little" },
  { mils: 51, cause: "paid_too_much" },
])("a transfer of $mils mils is reported as $cause, and ends no claim", async ({ mils, cause }) => {
  const url = await sell(echo, terms);
  const offer = await offerAt(url);
  const { claim, memo } = offer.extra;
  const txId = await sendTransfer(shop.chain, { memo, mils });
  let refusal = await refusalOf(await present(url, offer));
  while (!refusal.returns) refusal = await refusalOf(await present(url, offer));
  expect(refusal).toMatchObject({
    ...{ code: "payment_not_seen", transfer: { extra: { claim } } },
    returns: [{ txId, operation: 0, payer: "alice", amount: `0.0${mils} HBD`, cause, state: "noted" }],
  });
  expect(refusal.error).toContain(mils < 50 ? "less than the price" : "more than the price");
  expect(refusal.error).toContain("to be returned");
  await sendTransfer(shop.chain, { memo, from: "bob" });
  const response = await untilSeen(url, offer);
  expect(await response.json()).toMatchObject({ payer: "bob" });
});

test("a transfer with a space after its memo is reported as paid_other_memo, and ends no claim", async () => {
  const url = await sell(echo, terms);
  const offer = await offerAt(url);
  const { claim, memo } = offer.extra;
  const txId = await sendTransfer(shop.chain, { memo: `${memo} ` });
  let refusal = await refusalOf(await present(url, offer));
  while (!refusal.returns) refusal = await refusalOf(await present(url, offer));
  expect(refusal).toMatchObject({
    ...{ code: "payment_not_seen", transfer: { extra: { claim } } },
    returns: [{ txId, payer: "alice", amount: "0.050 HBD", cause: "paid_other_memo", state: "noted" }],
  });
  expect(refusal.error).toContain("spaces or line breaks around its memo");
  await sendTransfer(shop.chain, { memo, from: "bob" });
  const response = await untilSeen(url, offer);
  expect(await response.json()).toMatchObject({ payer: "bob" });
});

test.each([
  { transfers: true, secret },
  { transfers: true, store: createMemoryStore() },
])("a paywall that would forget with its process who has paid can't offer transfers (%o)", (options) => {
  expect(() => sell(echo, options)).toThrow("transfers requires secret, and one of store");
});

test("a page whose process died after its transfer had counted is opened once by the next process", async () => {
  const store = createMemoryStore();
  const selling = { ...terms, publicUrl: "http://shop.example" };
  let die = () => {};
  const death = new Promise<void>((resolve) => {
    die = resolve;
  });
  // The first change of a claim records that it is paid, and a dead process hears no answer.
  const replace: typeof store.replace = (key, ...change) => {
    if (!key.startsWith("x402:claim:")) return store.replace(key, ...change);
    die();
    return new Promise(() => {});
  };
  const dying = await sell(echo, { ...selling, store: { ...store, replace } });
  const offer = await offerAt(dying);
  const txId = await sendTransfer(shop.chain, { memo: offer.extra.memo });
  const connection = new AbortController();
  const asking = async () => {
    const { signal } = connection;
    while (!signal.aborted)
      await fetch(dying, { headers: presentClaim(offer), signal }).then((response) => response.text());
  };
  const asked = asking().catch(() => {});
  await death;
  connection.abort();
  await asked;
  const next = await sell(echo, { ...selling, store });
  await expect
    .poll(async () => (await present(next, offer)).json(), { timeout: 60_000, interval: 200 })
    .toEqual({
      payer: "alice",
      txId,
    });
  expect(await refusalOf(await present(next, offer))).toMatchObject({ code: "payment_replayed" });
});

test("of two transfers in one transaction one opens the page, and the other is owed back", async () => {
  const url = await sell(echo, terms);
  const { extra, ...offer } = await offerAt(url);
  const txId = await sendTransfers(shop.chain, [{ memo: extra.memo }, { memo: extra.memo }]);
  expect((await untilSeen(url, { ...offer, extra })).status).toBe(200);
  expect(await refusalOf(await present(url, { ...offer, extra }))).toMatchObject({
    code: "payment_replayed",
    returns: [{ txId, operation: 1, cause: "paid_twice" }],
  });
});

/** Creates a store with the list of the transfers that were written into the seller's books. */
function createWatchedStore() {
  const store = createMemoryStore();
  const owed: TransferToReturn[] = [];
  const setIfAbsent: typeof store.setIfAbsent = async (key, value, seconds) => {
    const isNew = await store.setIfAbsent(key, value, seconds);
    if (isNew && key.startsWith("x402:to-return:")) owed.push(JSON.parse(value) as TransferToReturn);
    return isNew;
  };
  return { store: { ...store, setIfAbsent }, owed };
}
const access = { for: "30d" } as const;
/** Pays an offer and opens the page; returns the offer, the transaction and the answer. */
async function buy(url: string) {
  const offer = await offerAt(url);
  const txId = await sendTransfer(shop.chain, { memo: offer.extra.memo });
  return { offer, txId, response: await untilSeen(url, offer) };
}

test("an owner's second transfer opens the page by the first purchase, is owed back, and never counts", async () => {
  const { store, owed } = createWatchedStore();
  const url = await sell(echo, { ...terms, store, access });
  const first = await buy(url);
  const second = await buy(url);
  expect(second.response.status).toBe(200);
  expect(await second.response.json()).toEqual({ payer: "alice", txId: first.txId });
  const returned = { txId: second.txId, payer: "alice", cause: "paid_twice" };
  expect(owed).toMatchObject([returned]);
  expect(await refusalOf(await present(url, second.offer))).toMatchObject({
    ...{ code: "payment_replayed", returns: [returned] },
  });
});

test("an owner's second transfer counts once the price has risen above what was paid", async () => {
  let amount = "0.050 HBD";
  const { store, owed } = createWatchedStore();
  const url = await sell(echo, { ...terms, store, access: { ...access, key: "page" }, amount: () => amount });
  await buy(url);
  amount = "0.060 HBD";
  const offer = await offerAt(url);
  const txId = await sendTransfer(shop.chain, { memo: offer.extra.memo, mils: 60 });
  expect(await (await untilSeen(url, offer)).json()).toEqual({ payer: "alice", txId });
  expect(owed).toEqual([]);
});

test("of one payer's two transfers whose claims are presented at once, one counts, and both open the page", async () => {
  const { store, owed } = createWatchedStore();
  const url = await sell(echo, { ...terms, store, access });
  const offers = [await offerAt(url), await offerAt(url)];
  const txId = await sendTransfers(
    shop.chain,
    offers.map(({ extra }) => ({ memo: extra.memo })),
  );
  const responses = await Promise.all(offers.map((offer) => untilSeen(url, offer)));
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect(owed).toMatchObject([{ txId, cause: "paid_twice" }]);
});

test("an owner's second transfer opens the page and is noted though the answer that marked it was lost", async () => {
  const { facilitatorUrl: _none, ...price } = shop.price;
  const { verify, settle, supported } = shop.facilitator;
  let losses = 0;
  const facilitator: Facilitator = {
    ...{ verify, supported },
    async settle(request, options) {
      const answer = await settle(request, options);
      if (answer.errorReason === "paid_twice" && losses++ === 0) throw new Error("lost");
      return answer;
    },
  };
  const { store, owed } = createWatchedStore();
  const GET = withPaywall<Request, object>(
    { ...price, ...terms, store, facilitator, access, onFault: () => {} },
    echo,
  );
  const url = await serve((request) => GET(request, {}));
  const first = await buy(url);
  const second = await buy(url);
  expect(losses).toBeGreaterThan(0);
  expect(await second.response.json()).toEqual({ payer: "alice", txId: first.txId });
  expect(owed).toMatchObject([{ txId: second.txId, cause: "paid_twice" }]);
});
