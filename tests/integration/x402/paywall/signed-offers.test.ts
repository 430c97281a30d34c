import { getRequestListener } from "@hono/node-server";
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  findAcceptsObjectFromSignedOffer,
  type JWSSignedOffer,
  type JWSSignedReceipt,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from "@x402/extensions/offer-receipt";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { MAINNET_CAIP } from "#lib/chains.ts";
import { paywall } from "#lib/x402/express.ts";
import { fastifyPaywall } from "#lib/x402/fastify.ts";
import { honoPaywall } from "#lib/x402/hono.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { nodePaywall } from "#lib/x402/node.ts";
import type { PaywallOptions } from "#lib/x402/paywall/options.ts";
import { createClientScheme } from "#lib/x402/scheme/index.ts";
import type { PaymentRequired } from "#lib/x402/types.ts";
import { askPaid, decodeHeader } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { serveFastify } from "../../../harness/serve-web.ts";
import { signing, signingDid } from "../../../harness/signing-key.ts";

const { shop, keep, serve, listen, sell } = await openShop();

type Options = Partial<Pick<PaywallOptions, "paymentFlow" | "signing">>;

const sellers: Array<[name: string, sell: (options?: Options) => Promise<string>]> = [
  [
    "Express",
    (options) =>
      listen(
        express().use(
          paywall({ ...shop.price, signing, ...options }),
          (_request, response) => void response.json("content"),
        ),
      ),
  ],
  [
    "Next",
    (options) => {
      const GET = withPaywall({ ...shop.price, signing, ...options }, () => Response.json("content"));
      return serve((request) => GET(request));
    },
  ],
  [
    "Hono",
    (options) => {
      const app = new Hono();
      app.get("/*", honoPaywall({ ...shop.price, signing, ...options }), (c) => c.json("content"));
      return listen(getRequestListener(app.fetch));
    },
  ],
  [
    "Fastify",
    (options) => {
      const app = fastify();
      const preHandler = fastifyPaywall({ ...shop.price, signing, ...options });
      app.get("/*", { preHandler }, async () => "content");
      return keep(serveFastify(app));
    },
  ],
  [
    "a plain Node server",
    (options) =>
      listen(
        nodePaywall({ ...shop.price, signing, ...options }, (_request, response) => response.end("content")),
      ),
  ],
];

/** Reads the offers of a message as the official package does. */
const offersIn = (message: unknown) => extractOffersFromPaymentRequired(message as never) as JWSSignedOffer[];
const receiptIn = (response: Response) => extractReceiptFromResponse(response) as JWSSignedReceipt;

describe.each(sellers)("the paywall for %s", (_name, sellWith) => {
  test("signs offer and receipt so that the official package verifies them", async () => {
    const url = `${await sellWith()}/report?part=1`;
    const client = new x402Client().register("chain:sandbox", createClientScheme(shop.purse()));
    const required = decodeHeader<{ accepts: never[] }>(await fetch(url), "payment-required");
    const [signed] = offersIn(required);
    const [offer] = decodeSignedOffers(signed ? [signed] : []);
    if (!signed || !offer) throw new Error("no signed offer");
    expect(await verifyOfferSignatureJWS(signed)).toMatchObject({
      ...{ version: 1, scheme: "exact", network: "chain:sandbox", asset: "HBD", amount: "50", payTo: "shop" },
      resourceUrl: url.split("?")[0],
    });
    expect(findAcceptsObjectFromSignedOffer(offer, required.accepts)).toBe(required.accepts[0]);

    const paid = await wrapFetchWithPayment(fetch, client)(url);
    expect(paid.status).toBe(200);
    const receipt = receiptIn(paid);
    expect(await verifyReceiptSignatureJWS(receipt)).toEqual({
      ...{ version: 1, network: "chain:sandbox", resourceUrl: url.split("?")[0], payer: "alice" },
      issuedAt: expect.any(Number),
    });
    expect(verifyReceiptMatchesOffer(receipt, offer, ["alice"])).toBe(true);
    // Two long headers could exceed what proxies accept.
    expect(decodeHeader(paid, "x-payment-response")).not.toHaveProperty("extensions");
  });

  test("signs the receipt of a payment that is settled after the handler", async () => {
    const url = await sellWith({ paymentFlow: "authorization" });
    const paid = await askPaid(url, await shop.payFor(url));
    expect(await verifyReceiptSignatureJWS(receiptIn(paid))).toMatchObject({
      payer: "alice",
      resourceUrl: `${url}/`,
    });
  });
});

/** Returns the message of version 1 in the body of a 402. */
const bodyOf = async (response: Response) => (await response.json()) as PaymentRequired;

test("signs the offer of version 1 in the body, with its amount as written there", async () => {
  const url = await sell(() => Response.json("content"), { signing });
  const body = await bodyOf(await fetch(url));
  const [signed] = offersIn(body);
  if (!signed) throw new Error("no signed offer");
  const terms = await verifyOfferSignatureJWS(signed);
  expect(terms).toMatchObject({ amount: "0.050 HBD", resourceUrl: `${url}/` });
  const [offer] = body.accepts;
  expect(terms.validUntil * 1000).toBeLessThanOrEqual(Date.parse(offer?.validBefore ?? ""));
  expect(terms.validUntil * 1000).toBeGreaterThan(Date.parse(offer?.validBefore ?? "") - 60_001);
});

test("signs one offer for the main chain, whose entries differ in its name only", async () => {
  const { facilitatorUrl } = shop.price;
  const GET = withPaywall(
    { ...{ amount: "0.050 HBD", receivingAccount: "shop", facilitatorUrl, signing } },
    () => Response.json("content"),
  );
  const response = await fetch(await serve((request) => GET(request)));
  const header = decodeHeader(response, "payment-required");
  const body = await bodyOf(response);
  expect(body.accepts).toHaveLength(2);
  for (const message of [header, body]) {
    const offers = offersIn(message);
    expect(offers).toHaveLength(1);
    expect(await verifyOfferSignatureJWS(offers[0] as JWSSignedOffer)).toMatchObject({
      network: MAINNET_CAIP,
    });
  }
});

test("names the key by its did:key, or as the seller does", async () => {
  const kidOf = async (kid?: string) => {
    const url = await sell(() => Response.json("content"), { signing: { ...signing, ...(kid && { kid }) } });
    const [signed] = offersIn(await bodyOf(await fetch(url)));
    return JSON.parse(Buffer.from(signed?.signature.split(".")[0] ?? "", "base64url").toString());
  };
  expect(await kidOf()).toEqual({ alg: "EdDSA", kid: signingDid });
  const kid = "did:web:shop.example#key-1";
  expect(await kidOf(kid)).toEqual({ alg: "EdDSA", kid });
});

test("names the transaction in the receipt if the seller allows it", async () => {
  const url = await sell(() => Response.json("content"), {
    signing: { ...signing, includeTransaction: true },
  });
  const paid = await askPaid(url, await shop.payFor(url));
  const { txId } = decodeHeader<{ txId: string }>(paid, "x-payment-response");
  expect(await verifyReceiptSignatureJWS(receiptIn(paid))).toMatchObject({ transaction: txId });
});

test("signs no receipt for an answer that delivers nothing", async () => {
  const url = await sell(() => new Response("broken", { status: 500 }), { signing });
  const failed = await askPaid(url, await shop.payFor(url));
  expect(failed.status).toBe(500);
  expect(decodeHeader(failed, "x-payment-response")).toMatchObject({ success: true });
  expect(receiptIn(failed)).toBeUndefined();
});

test("signs nothing without a key", async () => {
  const url = await sell(() => Response.json("content"));
  const refusal = await fetch(url);
  expect(offersIn(decodeHeader(refusal, "payment-required"))).toEqual([]);
  expect(offersIn(await bodyOf(refusal))).toEqual([]);
  expect(receiptIn(await askPaid(url, await shop.payFor(url)))).toBeUndefined();
});

test.each([
  [{ privateKey: "5e" }, "signing.privateKey must be 64 hex digits"],
  [{ ...signing, kid: "key-1" }, "signing.kid must be a DID URL"],
  [{ ...signing, includeTransaction: 1 }, "signing.includeTransaction must be true or false"],
  [{ ...signing, key: "" }, "signing.key is no option"],
])("refuses the signing options %o", (given, message) => {
  const create = () =>
    withPaywall({ ...shop.price, signing: given as never }, () => Response.json("content"));
  expect(create).toThrow(TypeError);
  expect(create).toThrow(message);
});
