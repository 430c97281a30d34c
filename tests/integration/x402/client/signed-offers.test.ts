import { ed25519 } from "@noble/curves/ed25519.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { HTTPFacilitatorClient, x402ResourceServer } from "@x402/core/server";
import { paymentMiddleware } from "@x402/express";
import {
  createJWS,
  createJWSOfferReceiptIssuer,
  createOfferReceiptExtension,
  declareOfferReceiptExtension,
  type JWSSigner,
  verifyReceiptSignatureJWS,
} from "@x402/extensions/offer-receipt";
import express from "express";
import { describe, expect, test } from "vitest";
import { callNode } from "#lib/x402/client/call-node.ts";
import type { MadePayment, PayingFetchOptions } from "#lib/x402/client/index.ts";
import { createDidDocument } from "#lib/x402/index.ts";
import { payingMcpClient } from "#lib/x402/mcp/index.ts";
import { paidTool } from "#lib/x402/mcp/paid-tool.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { createJwsSigner } from "#lib/x402/offer-receipt/sign-jws.ts";
import { createServerScheme } from "#lib/x402/scheme/index.ts";
import type { PaymentRequired, PaymentRequirements } from "#lib/x402/types.ts";
import { decodeHeader } from "../../../harness/ask-paid.ts";
import { changing, receiving, resigned, signedIn } from "../../../harness/changed-in-transit.ts";
import { openToolShop } from "../../../harness/open-tool-shop.ts";
import { signing, signingDid } from "../../../harness/signing-key.ts";

const { shop, serve, listen, sell, refusalOf, serveTools, connect } = await openToolShop();

const content = () => Response.json("content");
const key = Buffer.from(signing.privateKey, "hex");
const otherKey = Buffer.from("07".repeat(32), "hex");

/** Trusts the seller's key on this machine's hosts. */
const trusted = { keys: { "127.0.0.1": [signingDid] } };

/** Creates a client that verifies signatures, and collects its payments. */
function openPayer(options: Partial<PayingFetchOptions> = {}) {
  let tell: (made: MadePayment) => void;
  const made = new Promise<MadePayment>((resolve) => {
    tell = resolve;
  });
  const pay = shop.payer({ signedOffers: trusted, onPayment: (payment) => tell(payment), ...options });
  return { pay, made };
}

describe("a client that verifies signed offers", () => {
  test("pays an offer that a trusted key signed, and hands out the signed receipt", async () => {
    const url = await sell(content, { signing });
    const { pay, made } = openPayer({ signedOffers: { ...trusted, required: true } });
    expect((await pay(url)).status).toBe(200);
    const { signedReceipt, receiptFault } = await made;
    expect(receiptFault).toBeUndefined();
    const receipt = { format: "jws", signature: signedReceipt ?? "" } as const;
    expect(await verifyReceiptSignatureJWS(receipt)).toMatchObject({
      payer: "alice",
      resourceUrl: `${url}/`,
    });
  });

  test("pays an offer of version 2, and reads the signed receipt from its header", async () => {
    const url = await sell(content, { signing });
    const onlyVersion2: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (response.status !== 402) return response;
      const required = response.headers.get("payment-required") ?? "";
      return Response.json({}, { status: 402, headers: { "payment-required": required } });
    };
    const { pay, made } = openPayer({
      ...{ signedOffers: { ...trusted, required: true }, fetch: onlyVersion2, allowUpfront: true },
    });
    expect((await pay(url)).headers.has("payment-response")).toBe(true);
    expect(await made).toMatchObject({ signedReceipt: expect.any(String) });
  });

  test("pays an offer of version 2 among more signed offers than a payment can repeat", async () => {
    const url = await sell(content, { signing });
    const others = Array.from({ length: 20 }, (_none, index) =>
      createJwsSigner(otherKey)({ network: `eip155:${index}`, note: "x".repeat(300) }),
    );
    const amongOthers: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (response.status !== 402) return response;
      const required = decodeHeader<PaymentRequired>(response, "payment-required");
      signedIn(required).info.offers.push(...others.map((signature) => ({ format: "jws", signature })));
      return Response.json(required, { status: 402 });
    };
    const { pay } = openPayer({
      ...{ signedOffers: { ...trusted, required: true }, fetch: amongOthers, allowUpfront: true },
    });
    expect((await pay(url)).status).toBe(200);
  });

  test("finds the key in the seller's DID document", async () => {
    let document: object = {};
    const GET = withPaywall({ ...shop.price, signing, onFault: () => {} }, content);
    let sellAs = GET;
    const url = await serve((request) =>
      request.url.endsWith("/.well-known/did.json") ? Response.json(document) : sellAs(request),
    );
    const kid = `did:web:${new URL(url).host.replace(":", "%3A")}#key-1`;
    document = createDidDocument({ ...signing, kid });
    sellAs = withPaywall({ ...shop.price, signing: { ...signing, kid } }, content);
    const { pay, made } = openPayer({ signedOffers: { required: true } });
    expect((await pay(url)).status).toBe(200);
    const { signedReceipt } = await made;
    // The official package resolves the same document.
    expect(await verifyReceiptSignatureJWS({ format: "jws", signature: signedReceipt ?? "" })).toMatchObject({
      payer: "alice",
    });

    document = createDidDocument({ kid, privateKey: "07".repeat(32) });
    expect(await refusalOf(openPayer({ signedOffers: {} }).pay(url))).toBe("offer_signature_invalid");
    document = { ...createDidDocument({ ...signing, kid }), id: "did:web:elsewhere.example" };
    expect(await refusalOf(openPayer({ signedOffers: {} }).pay(url))).toBe("offer_signature_invalid");
    document = {};
    expect(await refusalOf(openPayer({ signedOffers: {} }).pay(url))).toBe("offer_signature_invalid");
  });

  test("asks no host for a key but the seller's", async () => {
    const asked: string[] = [];
    const spying: typeof fetch = (input, init) => {
      asked.push(String(input instanceof Request ? input.url : input));
      return fetch(input, init);
    };
    const url = await sell(content, { signing: { ...signing, kid: "did:web:elsewhere.example#key-1" } });
    expect(await refusalOf(openPayer({ signedOffers: {}, fetch: spying }).pay(url))).toBe(
      "offer_signature_invalid",
    );
    expect(asked).toEqual([`${url}/`]);
  });

  test("refuses a key that is not the host's", async () => {
    const url = await sell(content, { signing });
    const others = { keys: { "127.0.0.1": ["did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp"] } };
    expect(await refusalOf(openPayer({ signedOffers: others }).pay(url))).toBe("offer_signature_invalid");
    // A key that names itself is nobody's.
    expect(await refusalOf(openPayer({ signedOffers: {} }).pay(url))).toBe("offer_signature_invalid");
  });

  test.each([
    ["another price", { amount: "0.049 HBD" }],
    ["another payee", { payTo: "bob" }],
    ["another resource", { resourceUrl: "http://127.0.0.1/other" }],
    ["another scheme", { scheme: "upto" }],
    ["another asset", { asset: "HIVE" }],
    ["an unknown version of the terms", { version: 2 }],
    ["an end that is no number", { validUntil: "1790000000" }],
    ["more than 8,192 characters", { note: "x".repeat(8192) }],
  ])("refuses an offer whose signed terms name %s", async (_what, terms) => {
    const url = await sell(content, { signing });
    expect(await refusalOf(openPayer({ fetch: resigned(terms) }).pay(url))).toBe("offer_signature_invalid");
  });

  test("refuses an offer that was changed after it was signed", async () => {
    const url = await sell(content, { signing });
    const dearer = changing((_required, offer) => Object.assign(offer, { maxAmountRequired: "0.051 HBD" }));
    expect(await refusalOf(openPayer({ fetch: dearer }).pay(url))).toBe("offer_signature_invalid");
    const broken = changing((required) => {
      const [signed] = signedIn(required).info.offers;
      const [header, , signature] = signed?.signature.split(".") ?? [];
      const terms = Buffer.from(JSON.stringify({ version: 1 })).toString("base64url");
      Object.assign(signed ?? {}, { signature: [header, terms, signature].join(".") });
    });
    expect(await refusalOf(openPayer({ fetch: broken }).pay(url))).toBe("offer_signature_invalid");
  });

  test("refuses terms that a trusted kid names but another key signed", async () => {
    const url = await sell(content, { signing });
    const forged = resigned({}, createJwsSigner(otherKey, signingDid));
    expect(await refusalOf(openPayer({ fetch: forged }).pay(url))).toBe("offer_signature_invalid");
  });

  test("refuses a signed offer that has expired by the chain's time", async () => {
    const url = await sell(content, { signing });
    const old = resigned({ validUntil: Math.floor(Date.now() / 1000) - 60 });
    expect(await refusalOf(openPayer({ fetch: old }).pay(url))).toBe("offer_expired");
  });

  test("refuses a signed offer that expires while its payment is approved", async () => {
    const url = await sell(content, { signing });
    const validUntil = Math.floor(Date.now() / 1000) + 3;
    const [node = ""] = shop.chain.urls;
    const hasEnded = async () => {
      const { time } = await callNode(node, "condenser_api.get_dynamic_global_properties", []);
      return Date.parse(`${time}Z`) > validUntil * 1000;
    };
    const { pay } = openPayer({
      fetch: resigned({ validUntil }),
      async approve() {
        await expect.poll(hasEnded, { timeout: 60_000 }).toBe(true);
        return true;
      },
    });
    expect(await refusalOf(pay(url))).toBe("offer_expired");
  });

  test("pays an offer that is signed twice, once with an end that has passed", async () => {
    const url = await sell(content, { signing });
    const { pay } = openPayer({ fetch: resigned([{ validUntil: 1_700_000_000 }, { validUntil: 0 }]) });
    expect((await pay(url)).status).toBe(200);
  });

  const otherJwk = {
    kty: "OKP",
    crv: "Ed25519",
    x: Buffer.from(ed25519.getPublicKey(otherKey)).toString("base64url"),
  };

  test.each([
    ["another key than the trusted one", { jwk: otherJwk }],
    ["a critical extension", { crit: ["b64"], b64: false }],
    ["no algorithm", { alg: "none" }],
    ["the algorithm of another kind of key", { alg: "ES256K" }],
    ["an algorithm of shared secrets", { alg: "HS256" }],
    ["no name of a key", { kid: undefined }],
    ["a name that is no text", { kid: [signingDid] }],
  ])("refuses a signature whose header names %s", async (_what, header) => {
    const url = await sell(content, { signing });
    const sign = (terms: object) => {
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
      const signed = `${encode({ alg: "EdDSA", kid: signingDid, ...header })}.${encode(terms)}`;
      return `${signed}.${Buffer.from(ed25519.sign(Buffer.from(signed), key)).toString("base64url")}`;
    };
    expect(await refusalOf(openPayer({ fetch: resigned({}, sign) }).pay(url))).toBe(
      "offer_signature_invalid",
    );
  });

  test.each([
    ["empty", ""],
    ["a signature without terms", "e30..e30"],
    ["no text", { signature: "e30.e30.e30" }],
  ])("refuses a signed offer that is %s", async (_what, signature) => {
    const url = await sell(content, { signing });
    const { pay } = openPayer({ fetch: resigned({}, () => signature as string) });
    expect(await refusalOf(pay(url))).toBe("offer_signature_invalid");
  });

  test("pays unsigned offers unless signatures are required", async () => {
    const url = await sell(content);
    const { pay, made } = openPayer();
    expect((await pay(url)).status).toBe(200);
    expect(await made).toMatchObject({ signedReceipt: null });
    expect(await refusalOf(openPayer({ signedOffers: { required: true } }).pay(url))).toBe(
      "offer_not_signed",
    );
  });

  test("ignores signed offers of other chains", async () => {
    const url = await sell(content, { signing });
    const { pay } = openPayer({ fetch: resigned({ network: "eip155:8453" }, createJwsSigner(otherKey)) });
    expect((await pay(url)).status).toBe(200);
  });
});

describe("clients that verify signed receipts", () => {
  const sign = createJwsSigner(key);

  test.each([
    ["another payer", "receipt_mismatch", (terms: object) => sign({ ...terms, payer: "bob" })],
    [
      "another resource",
      "receipt_mismatch",
      (terms: object) => sign({ ...terms, resourceUrl: "http://127.0.0.1/other" }),
    ],
    ["another chain", "receipt_mismatch", (terms: object) => sign({ ...terms, network: "hive:mainnet" })],
    [
      "another transaction",
      "receipt_mismatch",
      (terms: object) => sign({ ...terms, transaction: "0".repeat(40) }),
    ],
    ["another hour", "receipt_expired", (terms: object) => sign({ ...terms, issuedAt: 1_700_000_000 })],
    [
      "another key",
      "receipt_signature_invalid",
      (terms: object) => createJwsSigner(otherKey, signingDid)(terms),
    ],
    ["no JWS", "receipt_signature_invalid", () => "signed"],
  ])("deliver the content with a receipt of %s, and report %s", async (_what, fault, change) => {
    const url = await sell(content, { signing });
    const { pay, made } = openPayer({ fetch: receiving(change) });
    expect(await (await pay(url)).json()).toBe("content");
    expect(await made).toMatchObject({ signedReceipt: null, receiptFault: fault });
  });

  test("hand out a receipt that names the transaction of the payment", async () => {
    const url = await sell(content, { signing: { ...signing, includeTransaction: true } });
    const { pay, made } = openPayer();
    expect((await pay(url)).status).toBe(200);
    const { txId, signedReceipt } = await made;
    expect(await verifyReceiptSignatureJWS({ format: "jws", signature: signedReceipt ?? "" })).toMatchObject({
      transaction: txId,
    });
  });

  test("hand out no receipt without a resource, even if the offer names none", async () => {
    const url = await sell(content, { signing });
    const receive = receiving((terms) => sign({ ...terms, resourceUrl: undefined }));
    const unnamed = changing((required, offer) => {
      delete (offer as Partial<PaymentRequirements>).resource;
      delete required.extensions;
    });
    const { pay, made } = openPayer({
      fetch: (input, init) =>
        new Headers(init?.headers).has("x-payment") ? receive(input, init) : unnamed(input, init),
    });
    expect((await pay(url)).status).toBe(200);
    expect(await made).toMatchObject({ signedReceipt: null, receiptFault: "receipt_mismatch" });
  });
});

/** Official signers with the keys of both algorithms that the official text names. */
const officialSigners: Array<[string, string, JWSSigner]> = [
  [
    "EdDSA",
    signingDid,
    {
      ...{ format: "jws", algorithm: "EdDSA", kid: signingDid },
      sign: async (bytes) => Buffer.from(ed25519.sign(bytes, key)).toString("base64url"),
    },
  ],
  [
    "ES256K",
    `did:jwk:${jwkOf(key)}#0`,
    {
      ...{ format: "jws", algorithm: "ES256K", kid: `did:jwk:${jwkOf(key)}#0` },
      sign: async (bytes) =>
        Buffer.from(secp256k1.sign(sha256(bytes), key).toCompactRawBytes()).toString("base64url"),
    },
  ],
];

/** Returns a public key of secp256k1 as a JSON Web Key in base64url. */
function jwkOf(privateKey: Uint8Array): string {
  const point = Buffer.from(secp256k1.getPublicKey(privateKey, false));
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  return Buffer.from(JSON.stringify({ kty: "EC", crv: "secp256k1", x, y })).toString("base64url");
}

test.each(officialSigners)(
  "verifies offer and receipt of an official server that signs with %s",
  async (_name, did, signer) => {
    const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: shop.door.url }))
      .register("chain:sandbox", createServerScheme())
      .registerExtension(createOfferReceiptExtension(createJWSOfferReceiptIssuer(signer.kid, signer)));
    const accepts = { scheme: "exact", network: "chain:sandbox", payTo: "shop", price: "0.050 HBD" } as const;
    const routes = { "GET /report": { accepts, extensions: declareOfferReceiptExtension() } };
    const app = express();
    app.use(paymentMiddleware(routes, server));
    app.get("/report", (_request, response) => void response.json("content"));
    const url = `${await listen(app)}/report`;
    const { pay, made } = openPayer({ signedOffers: { keys: { "127.0.0.1": [did] }, required: true } });
    expect((await pay(url)).status).toBe(200);
    const { signedReceipt, receiptFault } = await made;
    expect([receiptFault, signedReceipt?.split(".")]).toEqual([
      undefined,
      [expect.any(String), expect.any(String), expect.any(String)],
    ]);
    expect(await refusalOf(openPayer({ signedOffers: { required: true } }).pay(url))).toBe(
      "offer_signature_invalid",
    );
  },
);

test("signs the same text as the official package", async () => {
  const terms = {
    version: 1,
    resourceUrl: "https://shop.example/ñ",
    payer: "alice",
    issuedAt: 1_790_000_000,
  };
  const [, , signer] = officialSigners[0] as (typeof officialSigners)[number];
  const [header, payload] = createJwsSigner(key)(terms).split(".");
  const official = (await createJWS(terms, signer)).split(".");
  expect(payload).toBe(official[1]);
  expect(JSON.parse(atob(header ?? ""))).toEqual(JSON.parse(atob(official[0] ?? "")));
});

test("an MCP client verifies offer and receipt of a tool", async () => {
  const price = { ...shop.price, signing };
  const url = await serveTools((server) =>
    server.registerTool(
      "forecast",
      {},
      paidTool({ tool: "forecast", ...price }, async () => ({ content: [{ type: "text", text: "Sun" }] })),
    ),
  );
  let tell: (made: MadePayment) => void;
  const made = new Promise<MadePayment>((resolve) => {
    tell = resolve;
  });
  const options = { ...shop.purse(), server: "mcp://tools", onPayment: (one: MadePayment) => tell(one) };
  const paying = (keys: Record<string, string[]>, client: Awaited<ReturnType<typeof connect>>) =>
    payingMcpClient(client, { ...options, signedOffers: { keys, required: true } });
  const client = await connect(url);
  const refused = paying({}, client).callTool({ name: "forecast" });
  await expect(refused).rejects.toMatchObject({ code: "offer_signature_invalid" });
  const result = await paying({ tools: [signingDid] }, client).callTool({ name: "forecast" });
  expect(result).toMatchObject({ content: [{ text: "Sun" }] });
  expect(await made).toMatchObject({ signedReceipt: expect.any(String) });
});

test.each([
  [{ keys: [] }, "signedOffers.keys"],
  [{ keys: { "shop.example": "did:key:z6Mk" } }, "signedOffers.keys must list DIDs by host"],
  [{ keys: { "shop.example": ["key"] } }, "signedOffers.keys must list DIDs by host"],
  [{ required: "yes" }, "signedOffers.required must be true or false"],
  [{ require: true }, "signedOffers.require is no option"],
])("refuses the rules %o", (rules, message) => {
  expect(() => shop.payer({ signedOffers: rules as never })).toThrow(message);
});
