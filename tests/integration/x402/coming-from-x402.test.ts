import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { entries } from "#lib/publish/manifest.ts";
import { signPayment } from "#lib/x402/client/index.ts";
import { decodePayment, encodePayment } from "#lib/x402/codec.ts";
import { HEADER_PAYMENT, HEADER_PAYMENT_RESPONSE } from "#lib/x402/header.ts";
import { withPaywall } from "#lib/x402/next.ts";
import type { PaymentRequired, PaymentRequirements } from "#lib/x402/types.ts";
import { serveWeb, type WebServer } from "../../harness/serve-web.ts";
import { type Shop, startShop } from "../../harness/start-shop.ts";

let shop: Shop;
const servers: WebServer[] = [];
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function serve(answer: Parameters<typeof serveWeb>[0]): Promise<string> {
  const server = await serveWeb(answer);
  servers.push(server);
  return server.url;
}

const toBase64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
const fromBase64 = (text: string) => JSON.parse(Buffer.from(text, "base64").toString("utf8"));

/**
 * Pays like version 0.1 of the package: by the header's offer, with its own nonce and without a holder's
 * secret.
 */
async function payAsBefore(url: string, network: string): Promise<Response> {
  const refusal = await fetch(url);
  const { accepts } = fromBase64(refusal.headers.get(HEADER_PAYMENT) ?? "") as PaymentRequired;
  const offer = accepts.find((one) => one.network === network);
  if (!offer) throw new Error(`no offer for ${network}`);
  const { extra: _ignored, ...requirements } = offer;
  const payment = decodePayment(await signPayment({ ...shop.purse(), requirements }));
  delete payment.payload.holder;
  return fetch(url, { headers: { [HEADER_PAYMENT]: encodePayment(payment) } });
}

/**
 * Sells like version 0.1 of the package: an offer without a nonce, for a path, and one call each to verify
 * and settle.
 */
async function sellAsBefore(request: Request): Promise<Response> {
  const header = request.headers.get(HEADER_PAYMENT);
  const paymentRequirements: PaymentRequirements = {
    x402Version: 1,
    scheme: "exact",
    network: shop.price.network,
    maxAmountRequired: "0.050 HBD",
    resource: new URL(request.url).pathname,
    payTo: "shop",
    validBefore: new Date(Date.now() + 300_000).toISOString(),
  };
  const required = { x402Version: 1, accepts: [paymentRequirements] };
  if (header === null)
    return Response.json(required, { status: 402, headers: { [HEADER_PAYMENT]: toBase64(required) } });
  const body = JSON.stringify({ paymentPayload: fromBase64(header), paymentRequirements });
  const ask = async (path: string) => {
    const headers = { "content-type": "application/json" };
    return (await fetch(`${shop.door.url}/${path}`, { method: "POST", headers, body })).json();
  };
  const { isValid, invalidReason } = await ask("verify");
  if (!isValid) return Response.json({ reason: invalidReason }, { status: 402 });
  const settled = await ask("settle");
  if (!settled.success) return Response.json({ reason: settled.errorReason }, { status: 402 });
  return new Response(`for ${settled.payer}`, { headers: { [HEADER_PAYMENT_RESPONSE]: toBase64(settled) } });
}

describe("coming from @hiveio/x402", () => {
  test("its clients pay our paywalls, with nonces of their own", async () => {
    const before = await shop.balances();
    const paid = withPaywall(shop.price, (_request, { payer }) => new Response(`for ${payer}`));
    const response = await payAsBefore(await serve((request) => paid(request)), shop.price.network);
    expect([response.status, await response.text()]).toEqual([200, "for alice"]);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("its paywalls accept payments from our clients, and use our facilitator", async () => {
    const before = await shop.balances();
    const response = await shop.payer()(await serve(sellAsBefore));
    expect([response.status, await response.text()]).toEqual([200, "for alice"]);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("an offer on the main chain is listed under the name that its clients look for", async () => {
    const { receivingAccount, amount } = shop.price;
    const facilitator = {
      verify: async () => ({ isValid: false }),
      settle: async () => ({ success: false }),
    };
    const paid = withPaywall({ receivingAccount, amount, facilitator }, () => new Response("content"));
    const { accepts } = (await (await paid(new Request("http://shop.example/a"))).json()) as PaymentRequired;
    expect(accepts.map(({ network }) => network)).toEqual(["chain:mainnet", "hive:mainnet"]);
  });

  test("an unreadable payment is refused with 402 and an offer", async () => {
    const paid = withPaywall(shop.price, () => new Response("content"));
    const response = await paid(
      new Request("http://shop.example/a", { headers: { [HEADER_PAYMENT]: "no payment" } }),
    );
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ code: expect.any(String), accepts: [expect.any(Object)] });
  });

  const rows = readFileSync("docs/coming-from-x402.md", "utf8").split("\n");
  const here = rows.flatMap((row) => {
    const [, , cell = ""] = row.split("|");
    const [, subpath = "", names = ""] = /`(hivegate(?:\/\w+)?)`: (.*)/.exec(cell) ?? [];
    return [...names.matchAll(/`(?:await )?(\w+)/g)].map(([, name = ""]) => [name, subpath] as const);
  });
  test.each(here)("%s is exported by %s", async (name, subpath) => {
    const file = entries[subpath.replace(/^hivegate\/?/, "") || "index"] ?? "";
    expect(Object.keys(await import(pathToFileURL(file).href))).toContain(name);
  });
});
