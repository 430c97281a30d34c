import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { entries } from "#lib/publish/manifest.ts";
import { formatHBD, parseHBD } from "#lib/x402/amount.ts";
import {
  createPayingFetch,
  type PayingFetchOptions,
  parseRequirements,
  signPayment,
} from "#lib/x402/client/index.ts";
import { decodePayment, encodePayment } from "#lib/x402/codec.ts";
import { HEADER_PAYMENT, HEADER_PAYMENT_RESPONSE } from "#lib/x402/header.ts";
import { withPaywall } from "#lib/x402/next.ts";
import type { PaymentRequired } from "#lib/x402/types.ts";
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

/** The facts about one version of the package, as read from its source. */
type Facts = {
  exports: Record<string, string[]>;
  paywallOptions: string[];
  clientOptions: string[];
  facilitatorOptions: string[];
  routes: string[];
  pricingContext: string[] | null;
  required: { x402Version: number; accepts: Record<string, unknown>[] };
  facilitatorBody: string[];
  unreadablePaymentStatus: number;
  silentFacilitatorStatus: number[];
};
const { versions } = JSON.parse(readFileSync("tests/data/hiveio-x402.json", "utf8")) as {
  versions: Record<"0.1.1" | "0.2.0", Facts>;
};
const newest = versions["0.2.0"];

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
 * Sells like a version of the package: an offer without a nonce, for a path, in `x-payment` and the body, and
 * one call each to verify and settle.
 */
async function sellAsBefore(
  { required: recorded, facilitatorBody }: Facts,
  request: Request,
): Promise<Response> {
  const header = request.headers.get(HEADER_PAYMENT);
  const validBefore = new Date(Date.now() + 300_000).toISOString();
  const [offer] = recorded.accepts;
  const paymentRequirements = {
    ...offer,
    network: shop.price.network,
    ...(offer?.validBefore !== undefined && { validBefore }),
  };
  const required = { ...recorded, accepts: [paymentRequirements] };
  if (header === null)
    return Response.json(required, { status: 402, headers: { [HEADER_PAYMENT]: toBase64(required) } });
  const parts: Record<string, unknown> = {
    paymentPayload: fromBase64(header),
    paymentRequirements,
    validBefore,
  };
  const body = JSON.stringify(Object.fromEntries(facilitatorBody.map((name) => [name, parts[name]])));
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

const page = readFileSync("docs/coming-from-x402.md", "utf8");

const givenFor: Record<string, unknown> = {
  amount: "0.050 HBD",
  receivingAccount: "shop",
  facilitatorUrl: "http://localhost:4020",
  description: "a report",
  mimeType: "text/plain",
  extra: { model: "small" },
  x402Version: 2,
};

describe("coming from @hiveio/x402", () => {
  test("a client of its version 0.1 pays our paywall with a nonce of its own", async () => {
    const before = await shop.balances();
    const paid = withPaywall(shop.price, (_request, { payer }) => new Response(`for ${payer}`));
    const response = await payAsBefore(await serve((request) => paid(request)), shop.price.network);
    expect([response.status, await response.text()]).toEqual([200, "for alice"]);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test.each(Object.entries(versions))(
    "paywalls of its version %s accept payments from our clients, and use our facilitator",
    async (_version, facts) => {
      const before = await shop.balances();
      const response = await shop.payer()(await serve((request) => sellAsBefore(facts, request)));
      expect([response.status, await response.text()]).toEqual([200, "for alice"]);
      expect((await shop.balances()).alice).toBe(before.alice - 50);
    },
  );

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
    expect(page).toContain(`is a 402, not a ${newest.unreadablePaymentStatus}.`);
    expect(await response.json()).toMatchObject({ code: expect.any(String), accepts: [expect.any(Object)] });
  });

  test("a facilitator that answers 500 makes the paywall answer 503 with Retry-After", async () => {
    const price = { ...shop.price, facilitatorUrl: await serve(() => new Response(null, { status: 500 })) };
    const paid = withPaywall(price, () => new Response("content"));
    const url = await serve((request) => paid(request));
    const response = await payAsBefore(url, shop.price.network);
    expect([response.status, response.headers.has("retry-after")]).toEqual([503, true]);
    const before = newest.silentFacilitatorStatus.join(" or ");
    expect(page).toContain(`the buyer gets 503 with \`Retry-After\`, not ${before}.`);
  });

  test("a price function receives the request itself, not an object that holds it", async () => {
    const received: unknown[] = [];
    const amount = (request: Request) => {
      received.push(request);
      return "0.050 HBD";
    };
    const request = new Request("http://shop.example/a");
    await withPaywall({ ...shop.price, amount }, () => new Response("content"))(request);
    expect(received).toEqual([request]);
    for (const name of newest.pricingContext ?? [])
      expect(page).toMatch(new RegExp(`amount: \\(\\{ ${name} \\}\\) => …\`.*amount: \\(request\\)`));
  });

  test.each(newest.paywallOptions)("the page says what becomes of its option %s", (option) => {
    const sell = () =>
      withPaywall({ ...shop.price, [option]: givenFor[option] }, () => new Response("content"));
    const isRefused = new RegExp(`\\| \`${option}\` .*left out: it is refused`).test(page);
    if (isRefused) expect(sell).toThrow(`${option} is no option`);
    else expect(sell).not.toThrow();
    expect(page).toContain(`\`${option}\``);
  });

  test("the page names every option and moved route of its facilitator, and no other", () => {
    const [, table = ""] = page.split("export const handlers");
    const named = [...table.matchAll(/^\| `([^`]+)` /gm)].map(([, name = ""]) => name);
    const kept = ["GET /", "GET /health", "POST /verify", "POST /settle"];
    const routes = newest.routes.filter((route) => !kept.includes(route));
    const stores = newest.exports["/facilitator"]?.filter((name) => name === "RedisNonceStore") ?? [];
    const known = ["@hiveio/x402", ...newest.facilitatorOptions, ...routes, ...stores];
    expect(named.sort()).toEqual(known.sort());
  });

  test("our client accepts its client's options, and shows how to write a limit that is a number", () => {
    const { account, activeKey } = shop.purse();
    const options = { account, activeKey, maxPayment: "0.100 HBD" };
    expect(Object.keys(options)).toEqual(newest.clientOptions);
    expect(() => createPayingFetch(options)).not.toThrow();
    const untyped: object = { ...options, maxPayment: 0.1 };
    expect(() => createPayingFetch(untyped as PayingFetchOptions)).toThrow(
      new TypeError('maxPayment must be text such as "0.100 HBD"'),
    );
  });

  test("amounts that its helpers round or accept are refused by ours", () => {
    expect(() => formatHBD(0.0004)).toThrow(RangeError);
    expect(() => parseHBD("00.050 HBD")).toThrow(RangeError);
    expect(() => parseHBD("0.050  HBD")).toThrow(RangeError);
  });

  test("an answer without an offer makes parseRequirements throw", async () => {
    await expect(parseRequirements(new Response(null, { status: 402 }))).rejects.toMatchObject({
      code: "no_offer",
    });
  });

  const cells = page.split("\n").map((row) => row.split("|"));
  const namesIn = (cell: string, before: RegExp) => {
    const [, subpath = "", names = ""] = before.exec(cell) ?? [];
    return [...names.matchAll(/`(?:await |new )?(\w+)/g)].map(([, name = ""]) => [name, subpath] as const);
  };
  const there = cells.flatMap(([, cell = ""]) => namesIn(cell, /`(\/[\w/]+)`: (.*)/));
  test.each(there)("%s is exported by its %s", (name, subpath) => {
    expect(newest.exports[subpath]).toContain(name);
  });

  test("the page names every function that the package exports to sellers and payers", () => {
    const exported = ["/client", "/middleware/nextjs", "/middleware/hono", "/middleware"].flatMap(
      (subpath) => newest.exports[subpath] ?? [],
    );
    expect(new Set(there.map(([name]) => name).filter((name) => exported.includes(name)))).toEqual(
      new Set(exported),
    );
  });

  const here = cells.flatMap(([, , cell = ""]) => namesIn(cell, /`(hivegate(?:\/\w+)?)`: (.*)/));
  test.each(here)("%s is exported by %s", async (name, subpath) => {
    const file = entries[subpath.replace(/^hivegate\/?/, "") || "index"] ?? "";
    expect(Object.keys(await import(pathToFileURL(file).href))).toContain(name);
  });
});
