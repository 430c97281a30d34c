import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type PayingFetchOptions,
  PaymentError,
  type PaymentPayloadV2,
  parseRequirements,
  sendPayment,
  signPayment,
} from "#lib/x402/client/index.ts";
import { createMemoryStore } from "#lib/x402/memory-store.ts";
import { createSellers } from "../../../harness/create-sellers.ts";
import { makeOffer } from "../../../harness/serve-offers.ts";
import { failedV2, makeOfferV2, receiptV2, serveVersion2 } from "../../../harness/serve-version2.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

let shop: Shop;
const sellers = createSellers();
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());

const serve = (...given: Parameters<typeof serveVersion2>) => sellers.closing(serveVersion2(...given));
const pay = (options: Partial<PayingFetchOptions> = {}) => shop.payer(options);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
const transferOf = (payment: PaymentPayloadV2 | undefined) => {
  const [operation] = payment?.payload.signedTransaction.operations ?? [];
  return (operation as [string, Record<string, string>] | undefined)?.[1];
};

const elsewhere = {
  scheme: "exact",
  network: "eip155:8453",
  amount: "50000",
  asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  maxTimeoutSeconds: 60,
  extra: { name: "USDC", version: "2" },
};

describe("a paying fetch at a server of version 2", () => {
  test("repeats the offer, its resource and the extensions in the payment", async () => {
    const extra = { nonce: "N".repeat(32), tier: "gold" };
    const extensions = { bazaar: { info: { input: {} }, schema: {} } };
    const resource = { url: "/report", description: "a report", mimeType: "application/json", tags: ["x"] };
    const server = await serve([elsewhere, makeOfferV2({ extra })], { message: { resource, extensions } });
    const response = await pay()(server.url);
    expect([response.status, await response.json()]).toEqual([200, { ok: true }]);
    const [payment, ...others] = server.payments();
    expect(others).toEqual([]);
    expect(payment).toEqual({
      ...{ x402Version: 2, accepted: makeOfferV2({ extra }), resource, extensions },
      payload: {
        signedTransaction: expect.any(Object),
        nonce: extra.nonce,
        holder: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      },
    });
    expect(transferOf(payment)).toEqual({
      ...{ from: "alice", to: "shop", amount: "0.050 HBD", memo: `x402:${extra.nonce}` },
    });
    expect(server.sent.some((headers) => headers.has("x-payment"))).toBe(false);
  });

  test("omits a too long catalogue description from its payment, but refuses another extension of that length", async () => {
    const long = { info: { input: { example: "a".repeat(8192) } }, schema: {} };
    const other = { info: {}, schema: {} };
    const server = await serve([makeOfferV2()], { message: { extensions: { bazaar: long, other } } });
    expect((await pay()(server.url)).status).toBe(200);
    expect(server.payments()[0]?.extensions).toEqual({ other });
    const refusing = await serve([makeOfferV2()], { message: { extensions: { other: long } } });
    await expect(pay()(refusing.url)).rejects.toMatchObject({ code: "malformed_offer" });
  });

  test("pays amounts of the Hive draft, such as 0.050 HBD", async () => {
    const server = await serve([makeOfferV2({ amount: "0.050 HBD" })]);
    expect((await pay()(server.url)).status).toBe(200);
    expect(transferOf(server.payments()[0])?.amount).toBe("0.050 HBD");
    expect(server.payments()[0]?.accepted.amount).toBe("0.050 HBD");
  });

  test("pays in x-payment if the offer came in x-payment", async () => {
    const required = { x402Version: 2, resource: { url: "/a" }, accepts: [makeOfferV2({ extra: {} })] };
    const server = await sellers.serveWeb((request) => {
      const header = request.headers.get("x-payment");
      return header
        ? Response.json(JSON.parse(Buffer.from(header, "base64").toString()))
        : Response.json(required, { status: 402, headers: { "x-payment": encode(required) } });
    });
    expect(await (await pay()(server.url)).json()).toMatchObject({
      ...{ x402Version: 2, accepted: { amount: "50" }, payload: { nonce: expect.any(String) } },
    });
  });

  test("lets the payment expire within the offer's time", async () => {
    const server = await serve([makeOfferV2({ maxTimeoutSeconds: 20 })]);
    await pay()(server.url);
    const { expiration } = server.payments()[0]?.payload.signedTransaction ?? {};
    const { time } = (await shop.chain.call("condenser_api.get_dynamic_global_properties", [])) as {
      time: string;
    };
    expect(Date.parse(`${expiration}Z`) - Date.parse(`${time}Z`)).toBeLessThanOrEqual(20_000);
  });

  test("reports the transaction of the payment-response header", async () => {
    const server = await serve([makeOfferV2()]);
    const told: unknown[] = [];
    await (await pay({ onPayment: (payment) => told.push(payment) })(server.url)).text();
    expect(told).toMatchObject([{ txId: "b".repeat(40), amount: "0.050 HBD", status: 200 }]);
  });

  test("adds an id if the server announces payment-identifier", async () => {
    const schema = { type: "object" };
    const extensions = { "payment-identifier": { info: { required: true }, schema } };
    const server = await serve([makeOfferV2()], { message: { extensions } });
    await pay()(server.url);
    expect(server.payments()[0]?.extensions).toEqual({
      "payment-identifier": {
        info: { required: true, id: expect.stringMatching(/^pay_[\w-]{36}$/) },
        schema,
      },
    });
  });

  test("pays nothing for a request that already carries a payment", async () => {
    const server = await serve([makeOfferV2()], { paid: () => new Response(null, { status: 402 }) });
    expect((await pay()(server.url, { headers: { "payment-signature": "own" } })).status).toBe(402);
    expect(server.sent).toHaveLength(1);
  });
});

describe("a paying fetch that chooses among offers of both versions", () => {
  const paidOffer = async (
    accepts: Record<string, unknown>[],
    options: Parameters<typeof serveVersion2>[1] & { allowUpfront?: boolean } = {},
  ) => {
    const { allowUpfront, ...rest } = options;
    const server = await serve(accepts, rest);
    await pay({ ...(allowUpfront && { allowUpfront }) })(server.url);
    const [headers] = server.sent.slice(1);
    const version1 = headers?.get("x-payment");
    return version1 ? "version 1" : server.payments()[0]?.accepted;
  };
  const upfront = makeOfferV2({ amount: "10", extra: { paymentFlow: "upfront" } });

  test("pays the offer of version 1, in the body or in x-payment", async () => {
    const body = { x402Version: 1, accepts: [makeOffer()] };
    expect(await paidOffer([makeOfferV2()], { also: { body } })).toBe("version 1");
    const headers = { "x-payment": encode(body) };
    expect(await paidOffer([makeOfferV2()], { also: { headers } })).toBe("version 1");
  });

  test("pays the offer of version 2 if the offer of version 1 is for another chain or too expensive", async () => {
    for (const changes of [{ network: "base-sepolia" }, { maxAmountRequired: "2.000 HBD" }]) {
      const body = { x402Version: 1, accepts: [makeOffer(changes)] };
      expect(await paidOffer([makeOfferV2()], { also: { body } })).toEqual(makeOfferV2());
    }
  });

  test("prefers an offer that is settled after the work to one settled upfront", async () => {
    const after = makeOfferV2({ extra: { paymentFlow: "authorization" } });
    expect(await paidOffer([upfront, after], { allowUpfront: true })).toEqual(after);
    expect(await paidOffer([upfront, makeOfferV2({ extra: null })], { allowUpfront: true })).toEqual(
      makeOfferV2({ extra: null }),
    );
  });

  test("pays upfront if allowUpfront is set", async () => {
    expect(await paidOffer([upfront], { allowUpfront: true })).toEqual(upfront);
  });
});

describe("a paying fetch refuses from a server of version 2", () => {
  const refuses = async (
    accepts: Record<string, unknown>[],
    code: string,
    options: Partial<PayingFetchOptions> = {},
    given: Parameters<typeof serveVersion2>[1] = {},
  ) => {
    const server = await serve(accepts, given);
    const error = await pay(options)(server.url).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PaymentError);
    expect(error).toMatchObject({ code });
    expect(server.sent).toHaveLength(1);
    return error as PaymentError;
  };

  test.each<[string, Record<string, unknown>, string]>([
    ["another asset", { asset: "HIVE" }, "not_hbd"],
    ["an amount of HIVE", { amount: "0.050 HIVE" }, "not_hbd"],
    ["another scheme", { scheme: "upto" }, "unknown_scheme"],
    ["another way of transfer", { extra: { assetTransferMethod: "permit2" } }, "unknown_scheme"],
    ["another network", { network: "eip155:8453" }, "unknown_network"],
    ["an amount of zero", { amount: "0" }, "malformed_offer"],
    ["a fraction of a thousandth", { amount: "0.5" }, "malformed_offer"],
    ["an amount that is a number", { amount: 50 }, "malformed_offer"],
    ["an amount of version 1", { amount: undefined, maxAmountRequired: "0.050 HBD" }, "malformed_offer"],
    ["an offer without a time limit", { maxTimeoutSeconds: undefined }, "malformed_offer"],
    ["a payee that is no account", { payTo: "0x2096" }, "malformed_offer"],
    ["its own account as the payee", { payTo: "alice" }, "malformed_offer"],
    ["more text than a header holds", { extra: { terms: "x".repeat(9000) } }, "malformed_offer"],
    ["too little time", { maxTimeoutSeconds: 5 }, "offer_expired"],
    ["more than the limit", { amount: "1001" }, "over_limit"],
    ["settlement before the work", { extra: { paymentFlow: "upfront" } }, "flow_not_allowed"],
    ["an escrow", { extra: { paymentFlow: "escrow" } }, "flow_not_allowed"],
    ["several payees", { extra: { splits: [{ payTo: "bob", amount: "1" }] } }, "splits_not_supported"],
    ["payees of an unknown form", { extra: { splits: { bob: 1 } } }, "splits_not_supported"],
  ])("%s", async (_name, changes, code) => {
    await refuses([makeOfferV2(changes)], code);
  });

  test("offers for other chains only, in either version", async () => {
    const body = { x402Version: 1, accepts: [makeOffer({ network: "base" })] };
    await refuses([elsewhere, { ...elsewhere, network: "solana:5eykt4" }], "unknown_network");
    await refuses([elsewhere], "unknown_network", {}, { also: { body } });
  });

  test("an unknown payment flow, even if upfront is allowed", async () => {
    await refuses([makeOfferV2({ extra: { paymentFlow: "later" } })], "flow_not_allowed", {
      allowUpfront: true,
    });
  });

  test("a message of an unknown version", async () => {
    await refuses([makeOfferV2()], "unknown_version", {}, { message: { x402Version: 3 } });
  });

  test("a payee or a host outside the allowlist", async () => {
    await refuses([makeOfferV2()], "payee_not_allowed", { allowedPayees: ["bob"] });
    await refuses([makeOfferV2()], "host_not_allowed", { allowedHosts: ["shop.example"] });
  });

  test("an offer for a resource of another site, unless that site is allowed", async () => {
    const message = { resource: { url: "https://bank.example/a" } };
    const error = await refuses([makeOfferV2()], "resource_mismatch", {}, { message });
    expect(error.sites?.named).toBe("bank.example");
    const server = await serve([makeOfferV2()], { message });
    expect((await pay({ allowedResourceHosts: ["bank.example"] })(server.url)).status).toBe(200);
  });

  test("a resource on another local port, but not on the same port under another local name", async () => {
    for (const name of ["localhost", "[::1]"]) {
      const named = await serve([makeOfferV2()], {
        message: ({ port }) => ({ resource: { url: `http://${name}:${port}/a` } }),
      });
      expect((await pay()(named.url)).status).toBe(200);
    }
    const message = { resource: { url: "http://localhost:1/a" } };
    await refuses([makeOfferV2()], "resource_mismatch", {}, { message });
  });

  test("an offer that exceeds the budget", async () => {
    const server = await serve([makeOfferV2()]);
    const payingFetch = pay({ budget: { perDay: "0.090 HBD" } });
    await (await payingFetch(server.url)).text();
    await expect(payingFetch(server.url)).rejects.toMatchObject({ code: "over_budget", left: "0.040 HBD" });
    expect(server.payments()).toHaveLength(1);
  });

  test("an offer that is not approved", async () => {
    const approve = (offer: { description: string | undefined }) => offer.description === "cheap";
    const message = (description: string) => ({ resource: { url: "/a", description } });
    await refuses([makeOfferV2()], "not_approved", { approve }, { message: message("dear") });
    const server = await serve([makeOfferV2()], { message: message("cheap") });
    expect((await pay({ approve })(server.url)).status).toBe(200);
  });
});

describe("a payment of version 2", () => {
  const texts = (server: Awaited<ReturnType<typeof serve>>) =>
    server.sent.flatMap((headers) => headers.get("payment-signature") ?? []);

  test("is sent again, unchanged, while the answer says pending and names its transaction", async () => {
    const pending = { status: 402, headers: failedV2("settlement_pending", "c".repeat(40)) };
    const server = await serve([makeOfferV2()], {
      paid: (count) => (count === 1 ? Response.json({}, pending) : new Response("x", { headers: receiptV2 })),
    });
    const response = await pay()(server.url);
    expect([response.status, await response.text()]).toEqual([200, "x"]);
    expect(texts(server)).toHaveLength(2);
    expect(new Set(texts(server)).size).toBe(1);
  });

  test("is sent only once if the answer is a refusal, or says pending without a transaction", async () => {
    for (const headers of [failedV2("insufficient_funds"), failedV2("settlement_pending")]) {
      const server = await serve([makeOfferV2()], {
        paid: () => Response.json({}, { status: 402, headers }),
      });
      expect((await pay()(server.url)).status).toBe(402);
      expect(texts(server)).toHaveLength(1);
    }
  });

  test("is sent again, unchanged, when the request is repeated after a 500 and a restart", async () => {
    const store = createMemoryStore();
    const server = await serve([makeOfferV2()], {
      paid: (count) =>
        count === 1 ? new Response("", { status: 500 }) : new Response("x", { headers: receiptV2 }),
    });
    const first = pay({ budget: { perDay: "1.000 HBD", store } });
    expect((await first(server.url)).status).toBe(500);
    const next = pay({ budget: { perDay: "1.000 HBD", store } });
    expect(await (await next(server.url)).text()).toBe("x");
    expect(new Set(texts(server)).size).toBe(1);
    expect((await next.spent()).lastDay).toBe("0.050 HBD");
  });

  test("stays at its origin when the paid request is redirected", async () => {
    const other = await serve([makeOfferV2()]);
    const server = await serve([makeOfferV2()], { paid: () => Response.redirect(other.url, 307) });
    expect((await pay()(server.url)).status).toBe(402);
    expect(other.sent.some((headers) => headers.has("payment-signature"))).toBe(false);
  });

  test("is not sent to the target of a redirect, which gets a payment of its own", async () => {
    const server = await serve([makeOfferV2()], {
      paid: (count) =>
        count === 1
          ? new Response(null, { status: 302, headers: { location: "/content", ...receiptV2 } })
          : new Response("content", { headers: receiptV2 }),
    });
    expect(await (await pay()(server.url)).text()).toBe("content");
    expect(new Set(texts(server)).size).toBe(2);
  });
});

describe("paying in steps at a server of version 2", () => {
  test("reads the offer into version 1's fields, signs it and sends it", async () => {
    const message = { resource: { url: "/a", description: "a page", mimeType: "text/plain" } };
    const server = await serve([makeOfferV2({ extra: { paymentFlow: "upfront" } })], { message });
    const requirements = await parseRequirements(await fetch(server.url));
    expect(requirements).toMatchObject({
      ...{ x402Version: 2, scheme: "exact", network: "chain:sandbox", maxAmountRequired: "0.050 HBD" },
      ...{ payTo: "shop", resource: "/a", description: "a page", mimeType: "text/plain" },
    });
    expect(Date.parse(requirements.validBefore)).toBeGreaterThan(Date.now());
    const payment = await signPayment({ ...shop.purse(), requirements });
    expect((await sendPayment(server.url, { payment })).status).toBe(200);
    expect(server.payments()).toMatchObject([{ x402Version: 2, resource: message.resource }]);
  });

  test("signs an entry of accepts unchanged", async () => {
    const requirements = makeOfferV2() as never;
    const payment = await signPayment({ ...shop.purse(), requirements });
    expect(JSON.parse(Buffer.from(payment, "base64").toString())).toMatchObject({
      ...{ x402Version: 2, accepted: makeOfferV2() },
    });
  });

  test("signs nothing for an offer that was changed after it was read", async () => {
    const server = await serve([makeOfferV2()]);
    const requirements = await parseRequirements(await fetch(server.url));
    for (const changes of [{ maxAmountRequired: "0.010 HBD" }, { payTo: "bob" }])
      await expect(
        signPayment({ ...shop.purse(), requirements: { ...requirements, ...changes } }),
      ).rejects.toMatchObject({ code: "malformed_offer" });
  });
});
