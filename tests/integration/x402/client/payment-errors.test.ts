import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OfferToApprove, type PayingFetchOptions, PaymentError } from "#lib/x402/client/index.ts";
import { createSellers } from "../../../harness/create-sellers.ts";
import { makeOffer } from "../../../harness/serve-offers.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

let shop: Shop;
const sellers = createSellers();
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());

const offer = { amount: "0.050 HBD", payTo: "shop", network: "chain:sandbox" };

describe("a PaymentError carries", () => {
  const refuse = async (accepts: unknown[], options: Partial<PayingFetchOptions> = {}) => {
    const server = await sellers.serveOffers(accepts as never);
    const error = await shop
      .payer(options)(server.url)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PaymentError);
    expect(server.payments()).toEqual([]);
    return { error: error as PaymentError, host: server.host };
  };

  test("the offer and the exceeded limit", async () => {
    const { error } = await refuse([makeOffer({ maxAmountRequired: "1.500 HBD" })]);
    expect({ ...error }).toMatchObject({
      ...{ code: "over_limit", limit: "1.000 HBD" },
      offer: { ...offer, amount: "1.500 HBD" },
    });
  });

  test.each([
    ["perHost", { perHost: "0.070 HBD", perDay: "1.000 HBD" }, "0.070 HBD", "0.020 HBD"],
    ["perDay", { perHost: "1.000 HBD", perDay: "0.090 HBD" }, "0.090 HBD", "0.040 HBD"],
  ])("the budget's limit %s and the amount left of it", async (_name, budget, limit, left) => {
    const server = await sellers.serveOffers([makeOffer()]);
    const payingFetch = shop.payer({ budget });
    await (await payingFetch(server.url)).text();
    await expect(payingFetch(server.url)).rejects.toMatchObject({ code: "over_budget", offer, limit, left });
  });

  test("the requested site and the site that the offer names", async () => {
    const { error, host } = await refuse([makeOffer({ resource: "https://bank.example/a" })]);
    expect(error).toMatchObject({
      code: "resource_mismatch",
      offer,
      sites: { asked: host, named: "bank.example" },
    });
    const senseless = await refuse([makeOffer({ resource: "data:text/html,<b>" })]);
    expect(senseless.error.sites).toEqual({ asked: senseless.host, named: null });
    const listed = await refuse([makeOffer()], { allowedHosts: ["shop.example"] });
    expect(listed.error).toMatchObject({ code: "host_not_allowed", sites: { asked: listed.host } });
  });

  test("the site that a redirect led to", async () => {
    const server = await sellers.serveOffers([makeOffer()]);
    const door = await sellers.serveWeb(() => Response.redirect(`${server.url}/a`, 307));
    await expect(shop.payer()(door.url)).rejects.toMatchObject({
      code: "redirected",
      sites: { asked: new URL(door.url).host, named: server.host },
    });
  });

  test("the offer that names a payee outside the allowlist", async () => {
    const { error } = await refuse([makeOffer()], { allowedPayees: ["bob"] });
    expect(error).toMatchObject({ code: "payee_not_allowed", offer });
  });
});

describe("approve", () => {
  test("runs before anything is signed, with the payment's details", async () => {
    const server = await sellers.serveOffers([makeOffer({ description: "x".repeat(900) })]);
    const asked: OfferToApprove[] = [];
    const approve = (given: OfferToApprove) => {
      expect(server.payments()).toEqual([]);
      return asked.push(given) > 0;
    };
    expect((await shop.payer({ approve })(`${server.url}/a`)).status).toBe(200);
    expect(asked).toEqual([{ ...offer, url: `${server.url}/a`, description: "x".repeat(500) }]);
  });

  test.each<[string, () => unknown]>([
    ["returns false", () => false],
    ["returns nothing", () => undefined],
    ["returns something other than true", async () => "no"],
  ])("that %s prevents the payment, which is not counted", async (_name, approve) => {
    const server = await sellers.serveOffers([makeOffer()]);
    const payingFetch = shop.payer({ approve: approve as () => boolean });
    await expect(payingFetch(server.url)).rejects.toMatchObject({ code: "not_approved", offer });
    expect(server.payments()).toEqual([]);
    expect((await payingFetch.spent()).lastDay).toBe("0.000 HBD");
  });

  test("that throws makes the call fail with its error", async () => {
    const server = await sellers.serveOffers([makeOffer()]);
    const approve = () => Promise.reject(new Error("no window"));
    await expect(shop.payer({ approve })(server.url)).rejects.toThrow("no window");
    expect(server.payments()).toEqual([]);
  });

  test("is not called for repeats or exceeded limits", async () => {
    let asked = 0;
    const approve = () => ++asked > 0;
    const server = await sellers.serveOffers([makeOffer()], {
      paid: (_request, count) => new Response(null, { status: count === 1 ? 500 : 200 }),
    });
    const payingFetch = shop.payer({ approve });
    expect((await payingFetch(server.url)).status).toBe(500);
    expect((await payingFetch(server.url)).status).toBe(200);
    const dear = await sellers.serveOffers([makeOffer({ maxAmountRequired: "1.001 HBD" })]);
    await expect(payingFetch(dear.url)).rejects.toMatchObject({ code: "over_limit" });
    expect(asked).toBe(1);
  });

  test("is refused on creation if it is not a function", () => {
    expect(() => shop.payer({ approve: true as never })).toThrow("approve must be a function");
  });
});

describe("offers for other chains", () => {
  const version1 = {
    ...{ scheme: "exact", network: "base-sepolia", maxAmountRequired: "10000", maxTimeoutSeconds: 60 },
    ...{ payTo: `0x${"a".repeat(40)}`, asset: `0x${"b".repeat(40)}`, resource: "https://shop.example/" },
  };
  const version2 = {
    ...{ scheme: "exact", network: "eip155:84532", amount: "10000", maxTimeoutSeconds: 60 },
    ...{ payTo: `0x${"a".repeat(40)}`, asset: `0x${"b".repeat(40)}` },
  };
  const inHeader = (accepts: unknown[]) =>
    Buffer.from(JSON.stringify({ x402Version: 2, accepts })).toString("base64");

  test.each<[string, () => Response]>([
    ["of version 1", () => Response.json({ x402Version: 1, accepts: [version1] }, { status: 402 })],
    [
      "of version 2 in the body",
      () => Response.json({ x402Version: 2, accepts: [version2] }, { status: 402 }),
    ],
    [
      "of version 2, in the header and an empty body",
      () => Response.json({}, { status: 402, headers: { "payment-required": inHeader([version2]) } }),
    ],
    [
      "of version 2, in the header of a page",
      () => new Response("<html>", { status: 402, headers: { "payment-required": inHeader([version2]) } }),
    ],
  ])("%s cause unknown_network", async (_name, answer) => {
    const { url } = await sellers.serveWeb(answer);
    await expect(shop.payer()(url)).rejects.toMatchObject({ code: "unknown_network" });
  });

  test("give way to the error of an offer for this chain", async () => {
    const dear = makeOffer({ maxAmountRequired: "2.000 HBD" });
    const server = await sellers.serveOffers([version1, dear]);
    await expect(shop.payer()(server.url)).rejects.toMatchObject({ code: "over_limit" });
    const hbd = { ...version2, network: "chain:sandbox", asset: "HBD", amount: "50", payTo: "shop" };
    const second = await sellers.serveOffers([version2, hbd]);
    await expect(shop.payer()(second.url)).rejects.toMatchObject({ code: "unknown_version" });
  });
});
