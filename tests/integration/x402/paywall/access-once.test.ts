import { expect, test } from "vitest";
import { signPayment } from "#lib/x402/client/index.ts";
import { decodePayment, encodePayment } from "#lib/x402/codec.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import type { Facilitator } from "#lib/x402/types.ts";
import { askPaid, offerOf, receiptOf } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { wifOf } from "../../../harness/start-shop.ts";

const { shop, serve } = await openShop();

/** Proves an account by stating its name. */
const account = (request: Request) => request.headers.get("x-account");
const as = (name: string) => ({ headers: { "x-account": name } });

/** Sells one series; `settle` replaces the facilitator's own. */
async function sell({
  store = createMemoryClaimStore(),
  settle = shop.facilitator.settle,
  isBroken = () => false,
  secret,
}: {
  isBroken?: () => boolean;
  secret?: string;
  store?: ReturnType<typeof createMemoryClaimStore>;
  settle?: Facilitator["settle"];
} = {}) {
  const { facilitatorUrl: _none, ...price } = shop.price;
  const GET = withPaywall<Request, object>(
    {
      ...price,
      ...(secret !== undefined && { secret }),
      store,
      facilitator: { verify: shop.facilitator.verify, settle },
      access: { for: "30d", account, key: "the series" },
      onFault: () => {},
    },
    (_request, { payer, txId }) =>
      isBroken() ? new Response(null, { status: 500 }) : Response.json({ payer, txId }),
  );
  return serve((request) => GET(request, {}));
}

test("a payment opens its content again for the account that made it, and for no other", async () => {
  const url = await sell();
  const before = await shop.balances();
  const payment = await shop.payFor(url);
  const { txId } = receiptOf(await askPaid(url, payment, as("alice")));
  const again = await askPaid(url, payment, as("alice"));
  expect([again.status, receiptOf(again).txId]).toEqual([200, txId]);
  expect((await askPaid(url, payment, as("bob"))).status).toBe(402);
  expect((await shop.balances()).alice).toBe(before.alice - 50);
});

test("an owner who signs another payment is admitted by that signature without a charge", async () => {
  const url = await sell();
  const before = await shop.balances();
  const { txId } = receiptOf(await askPaid(url, await shop.payFor(url)));
  const second = await askPaid(url, await shop.payFor(url));
  expect([second.status, receiptOf(second).txId]).toEqual([200, txId]);
  expect((await shop.balances()).alice).toBe(before.alice - 50);
});

/** Buys content, then proves the payer to a handler that fails. Returns that proof. */
async function proveInVain(): Promise<{ url: string; proof: string }> {
  let isBroken = false;
  const url = await sell({ isBroken: () => isBroken });
  await askPaid(url, await shop.payFor(url));
  const proof = await shop.payFor(url);
  isBroken = true;
  expect((await askPaid(url, proof)).status).toBe(500);
  isBroken = false;
  return { url, proof };
}

const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;

test("a payment proves its payer once", async () => {
  const url = await sell();
  const before = await shop.balances();
  await askPaid(url, await shop.payFor(url));
  const proof = await shop.payFor(url);
  expect((await askPaid(url, proof)).status).toBe(200);
  expect(await codeOf(await askPaid(url, proof))).toBe("payment_replayed");
  expect((await shop.balances()).alice).toBe(before.alice - 50);
});

test("a payment that only proves its payer is stored for 25 hours, as payers can sign any number of these", async () => {
  const store = createMemoryClaimStore();
  const lives = new Map<string, number | undefined>();
  const note = (key: string, ttlSeconds?: number) =>
    key.startsWith("x402:claim:") && lives.set(key, ttlSeconds);
  const url = await sell({
    store: {
      ...store,
      setIfAbsent(key, value, ttlSeconds) {
        note(key, ttlSeconds);
        return store.setIfAbsent(key, value, ttlSeconds);
      },
      replace(key, from, to, ttlSeconds) {
        note(key, ttlSeconds);
        return store.replace(key, from, to, ttlSeconds);
      },
    },
  });
  await askPaid(url, await shop.payFor(url));
  expect((await askPaid(url, await shop.payFor(url))).status).toBe(200);
  const [paid = 0, proved = 0] = lives.values();
  expect([paid, proved]).toEqual([30 * 24 * 3600, 25 * 3600]);
});

test("a payment that proves its payer can be sent again after a failure, by its holder only", async () => {
  const { url, proof } = await proveInVain();
  const payment = decodePayment(proof);
  const stolen = encodePayment({
    ...payment,
    payload: { ...payment.payload, holder: "t".repeat(43) },
  });
  expect(await codeOf(await askPaid(url, stolen))).toBe("payment_replayed");
  expect((await askPaid(url, proof)).status).toBe(200);
});

test("a payment that proves its payer opens only its own address, before and after delivery", async () => {
  const { url, proof } = await proveInVain();
  expect(await codeOf(await askPaid(`${url}/other`, proof))).toBe("payment_replayed");
  expect((await askPaid(url, proof)).status).toBe(200);
  expect(await codeOf(await askPaid(`${url}/other`, proof))).toBe("payment_replayed");
});

test("a payment that proved its payer to one shop proves nothing to another", async () => {
  const [url, other] = [
    await sell({ secret: "the one shop's ".repeat(4) }),
    await sell({ secret: "the other shop's ".repeat(4) }),
  ];
  for (const one of [url, other]) await askPaid(one, await shop.payFor(one));
  const before = await shop.balances();
  const proof = await shop.payFor(url);
  expect((await askPaid(url, proof)).status).toBe(200);
  expect(await codeOf(await askPaid(other, proof))).toBe("payment_replayed");
  expect((await shop.balances()).alice).toBe(before.alice);
});

test.each([
  ["for another address of the same purchase", "/other", "nonce_mismatch"],
  ["without an offer of this shop", null, "payment_replayed"],
])("a payment made %s proves nothing", async (_what, path, code) => {
  const url = await sell();
  const before = await shop.balances();
  await askPaid(url, await shop.payFor(url));
  const { extra: _own, ...requirements } = await offerOf(await fetch(url));
  const elsewhere =
    path === null ? await signPayment({ ...shop.purse(), requirements }) : await shop.payFor(`${url}${path}`);
  expect(await codeOf(await askPaid(url, elsewhere))).toBe(code);
  expect((await shop.balances()).alice).toBe(before.alice - 50);
});

test("another person's signature opens none of the payer's purchases", async () => {
  const url = await sell();
  await askPaid(url, await shop.payFor(url));
  const requirements = await offerOf(await fetch(url));
  const forged = await signPayment({ ...shop.purse(), activeKey: wifOf("bob"), requirements });
  const response = await askPaid(url, forged);
  expect(await response.json()).toMatchObject({ code: "authority_not_satisfied" });
});

test.each([
  ["with a session", as("alice")],
  ["without a session", {}],
])("two simultaneous payments by one account %s both get the content for one charge", async (_how, init) => {
  const url = await sell();
  const before = await shop.balances();
  const payments = [await shop.payFor(url), await shop.payFor(url)];
  const answers = await Promise.all(payments.map((payment) => askPaid(url, payment, init)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(new Set(answers.map((answer) => receiptOf(answer).txId)).size).toBe(1);
  expect((await shop.balances()).alice).toBe(before.alice - 50);
});

test("while a payment may still be charged, another process accepts no second payment from its account", async () => {
  const store = createMemoryClaimStore();
  let isLost = true;
  const url = await sell({
    store,
    async settle(...call) {
      const settled = await shop.facilitator.settle(...call);
      if (isLost) throw new Error("the answer was lost");
      return settled;
    },
  });
  const other = await sell({ store });
  const before = await shop.balances();
  const send = (to: string, payment: string) => fetch(to, { headers: { "x-payment": payment } });
  const [first, second] = [await shop.payFor(url), await shop.payFor(other)];
  expect((await send(url, first)).status).toBe(503);
  const meanwhile = await send(other, second);
  expect([meanwhile.status, await meanwhile.json()]).toMatchObject([503, { code: "settlement_pending" }]);
  isLost = false;
  expect((await askPaid(url, first)).status).toBe(200);
  expect((await askPaid(other, second)).status).toBe(200);
  expect((await shop.balances()).alice).toBe(before.alice - 50);
});

test("a refused payment does not hold up the next one", async () => {
  let isRefused = true;
  const url = await sell({
    settle: async (...call) =>
      isRefused ? { success: false, errorReason: "broadcast_rejected" } : shop.facilitator.settle(...call),
  });
  expect((await askPaid(url, await shop.payFor(url))).status).toBe(402);
  isRefused = false;
  expect((await askPaid(url, await shop.payFor(url))).status).toBe(200);
});
