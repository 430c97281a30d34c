import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { signPayment as signOffer } from "#lib/x402/client/index.ts";
import { encodePayment } from "#lib/x402/codec.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { type PaywallOptions, readOptions } from "#lib/x402/paywall/options.ts";
import { createPaywallCheck } from "#lib/x402/paywall/paywall-check.ts";
import type { PaymentPayload, PaymentRequirements } from "#lib/x402/types.ts";
import { askPaid, offerOf } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { type PaymentOptions, signPayment } from "../../../harness/sign-payment.ts";
import { secretOf } from "../../../harness/sign-transaction.ts";

const { shop, serve } = await openShop();
let runs = 0;

async function sell(options: Partial<PaywallOptions<Request>> = {}) {
  runs = 0;
  const answer = withPaywall({ ...shop.price, ...options }, () => {
    runs += 1;
    return new Response("content");
  });
  return serve((request) => answer(request));
}

type Signed = Awaited<ReturnType<typeof signPayment>>;
const payloadOf = ({ request }: Signed) => request.paymentPayload as unknown as PaymentPayload;

test.each(["x-payment", "payment-signature"])("a payment of version 2 in %s is accepted", async (header) => {
  const url = await sell();
  const { payload, scheme, network } = payloadOf(await signPayment(shop.chain));
  const accepted = { scheme, network, amount: "50", asset: "HBD", payTo: "shop", maxTimeoutSeconds: 300 };
  const text = Buffer.from(JSON.stringify({ x402Version: 2, accepted, payload })).toString("base64");
  const ask = () => fetch(url, { headers: { [header]: text } });
  await expect.poll(async () => (await ask()).status).toBe(200);
  expect(runs).toBe(1);
});

test("a header of 8 KiB is read, and a longer one is not", async () => {
  const url = await sell();
  const padded = async (characters: number) => {
    const json = JSON.stringify(payloadOf(await signPayment(shop.chain)));
    return Buffer.from(json.padEnd((characters / 4) * 3)).toString("base64");
  };
  expect((await askPaid(url, await padded(8192))).status).toBe(200);
  expect(await (await askPaid(url, await padded(8196))).json()).toMatchObject({ code: "invalid_payload" });
});

describe("a payment other than the requested one", () => {
  test.each<[string, PaymentOptions, string]>([
    ["too little", { mils: 49 }, "amount_mismatch"],
    ["too much", { mils: 51 }, "amount_mismatch"],
    ["to someone else", { to: "bob" }, "recipient_mismatch"],
    ["on another network", { network: "chain:mainnet" }, "unsupported_network"],
    ["with a different memo", { memo: "rent for may" }, "memo_invalid"],
    ["with a nonce that is too short", { nonce: "short" }, "memo_invalid"],
    ["signed with the posting key", { keys: [secretOf("alice", "posting")] }, "authority_not_satisfied"],
    ["by a payer without money", { from: "dave" }, "insufficient_funds"],
    ["that has expired", { livesSeconds: -10 }, "transaction_expired"],
    ["that lives longer than the offer", { livesSeconds: 320 }, "expiration_too_far"],
  ])("gets 402 and moves nothing: %s", async (_name, options, code) => {
    const url = await sell();
    const before = await shop.balances();
    const payment = encodePayment(payloadOf(await signPayment(shop.chain, options)));
    const response = await fetch(url, { headers: { "x-payment": payment } });
    expect(await response.clone().json()).toMatchObject({ code });
    expect((await offerOf(response)).payTo).toBe("shop");
    expect([runs, await shop.balances()]).toEqual([0, before]);
  });

  test.each<[string, Partial<PaymentPayload>, string]>([
    ["of another version", { x402Version: 3 }, "unsupported_version"],
    ["of another scheme", { scheme: "upto" }, "unsupported_scheme"],
  ])("gets 402: %s", async (_name, changes, code) => {
    const url = await sell();
    const payment = encodePayment({ ...payloadOf(await signPayment(shop.chain)), ...changes });
    expect(await (await askPaid(url, payment)).json()).toMatchObject({ code });
  });

  test.each([
    ["half a surrogate pair", "\ud800"],
    ["a nonce and half a surrogate pair", "x402:0123456789abcdef\ud800"],
    ["a NUL", "\0"],
    ["2048 bytes", "ü".repeat(1024)],
  ])("gets 402 without a facilitator call if its memo becomes %s after signing", async (_name, memo) => {
    const url = await sell();
    const payload = payloadOf(await signPayment(shop.chain));
    const [operation] = payload.payload.signedTransaction.operations as [[string, { memo: string }]];
    operation[1].memo = memo;
    const calls = shop.door.calls.length;
    const response = await fetch(url, { headers: { "x-payment": encodePayment(payload) } });
    expect([response.status, (await response.json()).code]).toEqual([402, "memo_invalid"]);
    expect([runs, shop.door.calls.length]).toEqual([0, calls]);
  });

  test("gets a page that repeats nothing of its memo", async () => {
    const url = await sell();
    const memo = "<script>secret memo</script>";
    const payment = encodePayment(payloadOf(await signPayment(shop.chain, { memo })));
    const response = await fetch(url, { headers: { "x-payment": payment, accept: "text/html" } });
    expect(await response.text()).not.toContain("secret memo");
  });
});

describe("a valid payment", () => {
  test("in the newer packing counts as the same payment under another signature", async () => {
    const url = await sell();
    const nonce = "0123456789abcdef";
    const given = { nonce, packing: "hf26" } as const;
    const newer = await signPayment(shop.chain, given);
    expect((await askPaid(url, encodePayment(payloadOf(newer)))).status).toBe(200);
    const { payload } = payloadOf(newer);
    const alternate = {
      ...payloadOf(newer),
      payload: { ...payload, signedTransaction: { ...payload.signedTransaction } },
    };
    alternate.payload.signedTransaction.signatures = ["1f".padEnd(130, "0")];
    expect(await (await askPaid(url, encodePayment(alternate))).json()).toMatchObject({
      code: "payment_replayed",
    });
    expect(runs).toBe(1);
  });

  test("can use any of the main chain's names when the paywall is on the main chain", async () => {
    const url = await sell({ network: "chain:mainnet" });
    for (const network of ["chain:mainnet", "hive:mainnet", "hive:beeab0de000000000000000000000000"]) {
      const payment = encodePayment(payloadOf(await signPayment(shop.chain, { network })));
      // The test's facilitator is on another network, so the payment gets no further.
      expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "unsupported_network" });
      expect(shop.door.calls.at(-1)?.body).toMatchObject({ paymentPayload: { network } });
    }
  });
});

/** Returns a machine clock that was never adjusted. */
const clockOf = (now: () => number) => ({ latest: now, earliest: now });

describe("time", () => {
  test("ends an offer: a later payment is refused before any facilitator call", async () => {
    let nowMs = Date.now();
    const check = createPaywallCheck(
      readOptions({ ...shop.price, amount: "0.050 HBD" }),
      clockOf(() => nowMs),
    );
    const ask = (payment: string | null) =>
      check({
        method: "GET",
        address: { origin: "http://shop.example", target: "/a" },
        payment: payment === null ? null : { version: 1, text: payment },
        isPreflight: false,
        raw: undefined,
      });
    const offered = await ask(null);
    if (offered.kind !== "payment-required") throw new Error(offered.kind);
    const [requirements] = offered.required.accepts as [PaymentRequirements];
    const payment = await signOffer({ ...shop.purse(), requirements });
    const calls = shop.door.calls.length;
    nowMs += 301_000;
    expect(await ask(payment)).toMatchObject({ required: { code: "requirements_expired" } });
    expect(shop.door.calls.length).toBe(calls);
    nowMs -= 2000;
    expect((await ask(payment)).kind).toBe("admitted");
    expect(shop.door.calls.at(-1)?.body.paymentRequirements).toMatchObject({
      validBefore: expect.stringMatching(requirements.validBefore.slice(0, 18)),
    });
  });

  test("does not end a settled payment, even if the payer returns three days later", async () => {
    let nowMs = Date.now();
    const check = createPaywallCheck(
      readOptions({ ...shop.price, amount: "0.050 HBD" }),
      clockOf(() => nowMs),
    );
    const address = { origin: "http://shop.example", target: "/late" };
    const request = { method: "GET", address, isPreflight: false, raw: undefined };
    const offered = await check({ ...request, payment: null });
    if (offered.kind !== "payment-required") throw new Error(offered.kind);
    const [requirements] = offered.required.accepts as [PaymentRequirements];
    const payment = { version: 1 as const, text: await signOffer({ ...shop.purse(), requirements }) };
    const first = await check({ ...request, payment });
    if (first.kind !== "admitted") throw new Error(first.kind);
    await first.delivery.fail();
    nowMs += 3 * 24 * 3_600_000;
    expect((await check({ ...request, payment })).kind).toBe("admitted");
  });
});

describe("options", () => {
  test("pass finality to the facilitator with the requirements", async () => {
    const url = await sell({ finality: "irreversible" });
    const payment = await signOffer({ ...shop.purse(), requirements: await offerOf(await fetch(url)) });
    expect((await askPaid(url, payment)).status).toBe(200);
    expect(shop.door.calls.at(-1)?.body.paymentRequirements).toMatchObject({
      extra: { finality: "irreversible" },
    });
  });

  test("let a paywall see the deliveries of another one with the same folder of claims", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "claims-"));
    const publicUrl = "http://shop.example";
    const [one, other] = [await sell({ dataDir, publicUrl }), await sell({ dataDir, publicUrl })];
    const payment = await signOffer({ ...shop.purse(), requirements: await offerOf(await fetch(one)) });
    expect((await askPaid(one, payment)).status).toBe(200);
    const calls = shop.door.calls.length;
    expect(await (await askPaid(other, payment)).json()).toMatchObject({ code: "payment_replayed" });
    expect(shop.door.calls.length).toBe(calls);
    await rm(dataDir, { recursive: true, force: true });
  });

  test("let a server accept another one's offers only if both have the same secret", async () => {
    const publicUrl = "http://shop.example";
    const shared = { publicUrl, secret: "one secret for both", binding: "require" } as const;
    const [one, other] = [await sell(shared), await sell(shared)];
    const payment = await signOffer({ ...shop.purse(), requirements: await offerOf(await fetch(one)) });
    expect((await askPaid(other, payment)).status).toBe(200);
    const stranger = await sell({ ...shared, secret: "another secret" });
    const second = await signOffer({ ...shop.purse(), requirements: await offerOf(await fetch(one)) });
    expect(await (await askPaid(stranger, second)).json()).toMatchObject({ code: "nonce_mismatch" });
  });
});
