import { verifyReceiptSignatureJWS } from "@x402/extensions/offer-receipt";
import { describe, expect, onTestFinished, test } from "vitest";
import type { MadePayment } from "#lib/x402/client/index.ts";
import { createDidDocument } from "#lib/x402/index.ts";
import { payingMcpClient } from "#lib/x402/mcp/index.ts";
import { paidTool } from "#lib/x402/mcp/paid-tool.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { createJwsSigner } from "#lib/x402/offer-receipt/sign-jws.ts";
import { receiving } from "../../../harness/changed-in-transit.ts";
import { holdTime } from "../../../harness/hold-time.ts";
import { openToolShop } from "../../../harness/open-tool-shop.ts";
import { signing, signingDid } from "../../../harness/signing-key.ts";

// Each block is a second of chain time, which must not pass much faster than a busy machine works.
const { shop, serve, refusalOf, serveTools, connect } = await openToolShop({ blockIntervalMs: 500 });

const content = () => Response.json("content");
const isForDocument = (address: string) => address.endsWith("/.well-known/did.json");

/**
 * Serves a seller that signs with the key of its DID document. `serveDocument` changes the answer to requests for it,
 * and `signWith` the key.
 */
async function openSeller(hostname = "127.0.0.1") {
  let answer: () => Response = () => new Response(null, { status: 404 });
  let sellAs = withPaywall({ ...shop.price, signing }, content);
  const { port } = new URL(
    await serve((request) => (isForDocument(request.url) ? answer() : sellAs(request))),
  );
  const url = `http://${hostname}:${port}/`;
  const did = `did:web:${new URL(url).host.replace(":", "%3A")}`;
  const signWith = (name: string, privateKey: string) => {
    const key = { privateKey, kid: `${did}#${name}` };
    sellAs = withPaywall({ ...shop.price, signing: key }, content);
    return createDidDocument(key);
  };
  const document = signWith("key-1", signing.privateKey);
  const serveDocument = (next: () => Response) => {
    answer = next;
  };
  serveDocument(() => Response.json(document));
  return { url, did, document, serveDocument, signWith };
}

type Seller = Awaited<ReturnType<typeof openSeller>>;

describe("the key in a seller's DID document", () => {
  const [key] = createDidDocument({ ...signing, kid: "did:web:shop.example#key-1" }).verificationMethod;
  const documents: Array<[string, (seller: Seller) => () => Response]> = [
    [
      "is longer than 64 KiB",
      ({ document }) =>
        () =>
          Response.json({ ...document, more: "x".repeat(65_536) }),
    ],
    ["is unavailable", () => () => new Response("busy", { status: 503 })],
    ["is no JSON", () => () => new Response("<html>")],
    [
      "is that of another site",
      ({ document }) =>
        () =>
          Response.json({ ...document, id: "did:web:other" }),
    ],
    ["is null", () => () => Response.json(null)],
    [
      "lists two keys of one name",
      ({ document }) => {
        const [method] = document.verificationMethod;
        const other = { ...method, publicKeyJwk: { kty: "OKP", crv: "Ed25519", x: "A".repeat(43) } };
        return () => Response.json({ ...document, verificationMethod: [method, other] });
      },
    ],
    [
      "lists the key, but not for statements",
      ({ document }) =>
        () =>
          Response.json({ ...document, assertionMethod: [] }),
    ],
    [
      "names the key after another site",
      ({ document }) =>
        () =>
          Response.json({ ...document, verificationMethod: [key] }),
    ],
  ];

  test.each(documents)("is not trusted if the document %s", async (_what, documentOf) => {
    const seller = await openSeller();
    seller.serveDocument(documentOf(seller));
    expect(await refusalOf(shop.payer({ signedOffers: {} })(seller.url))).toBe("offer_signature_invalid");
  });

  test("is not trusted if the document is behind a redirect", async () => {
    const seller = await openSeller();
    const elsewhere = await serve(() => Response.json(seller.document));
    seller.serveDocument(() => Response.redirect(`${elsewhere}/.well-known/did.json`));
    expect(await refusalOf(shop.payer({ signedOffers: {} })(seller.url))).toBe("offer_signature_invalid");
  });

  test("is not waited for longer than five seconds", async () => {
    const time = holdTime();
    onTestFinished(() => time.release());
    const { url } = await openSeller();
    let isAsked = false;
    const pay = shop.payer({
      signedOffers: {},
      fetch(input, init) {
        if (!isForDocument(String(input))) return fetch(input, init);
        isAsked = true;
        return new Promise((_resolve, reject) => {
          init?.signal?.addEventListener("abort", () => reject(new Error("stopped")));
        });
      },
    });
    const refusal = refusalOf(pay(url));
    await expect.poll(() => isAsked).toBe(true);
    time.pass(5000);
    expect(await refusal).toBe("offer_signature_invalid");
  });

  test.each([
    ["a new name", "key-2"],
    ["the old name", "key-1"],
  ])("may be replaced under %s between two payments", async (_what, name) => {
    const { url, serveDocument, signWith } = await openSeller();
    const pay = shop.payer({ signedOffers: { required: true } });
    expect((await pay(url)).status).toBe(200);
    const replaced = signWith(name, "07".repeat(32));
    serveDocument(() => Response.json(replaced));
    expect((await pay(url)).status).toBe(200);
  });

  test("verifies what it signed, but no new offer, once it is a former one", async () => {
    const { url, did, document, serveDocument } = await openSeller();
    const next = { privateKey: "07".repeat(32), kid: `${did}#key-2` };
    serveDocument(() => Response.json(createDidDocument(next, document.verificationMethod)));
    expect(await refusalOf(shop.payer({ signedOffers: {} })(url))).toBe("offer_signature_invalid");
    const terms = {
      ...{ version: 1, network: "hive:mainnet", resourceUrl: url, payer: "alice" },
      issuedAt: 1_790_000_000,
    };
    const signature = createJwsSigner(Buffer.from(signing.privateKey, "hex"), `${did}#key-1`)(terms);
    expect(await verifyReceiptSignatureJWS({ format: "jws", signature })).toEqual(terms);
  });

  test("is read once for the payments of a minute", async () => {
    const time = holdTime();
    onTestFinished(() => time.release());
    const { url, document, serveDocument } = await openSeller();
    let reads = 0;
    serveDocument(() => {
      reads++;
      return Response.json(document);
    });
    const pay = shop.payer({ signedOffers: { required: true } });
    for (const _time of [1, 2]) {
      expect((await pay(url)).status).toBe(200);
      time.pass(1000);
    }
    expect(reads).toBe(1);
  });

  test("is looked for at no host if a tool's server has no web address", async () => {
    const asked: string[] = [];
    const kid = "did:web:tools#key-1";
    const price = { ...shop.price, signing: { ...signing, kid } };
    const url = await serveTools((server) =>
      server.registerTool(
        "forecast",
        {},
        paidTool({ tool: "forecast", ...price }, async () => ({ content: [] })),
      ),
    );
    const globalFetch = globalThis.fetch;
    globalThis.fetch = (input, init) => {
      asked.push(String(input instanceof Request ? input.url : input));
      return globalFetch(input, init);
    };
    onTestFinished(() => {
      globalThis.fetch = globalFetch;
    });
    const client = await connect(url);
    const paying = payingMcpClient(client, { ...shop.purse(), server: "mcp://tools", signedOffers: {} });
    await expect(paying.callTool({ name: "forecast" })).rejects.toMatchObject({
      code: "offer_signature_invalid",
    });
    expect(asked.filter(isForDocument)).toEqual([]);
  });
});

describe("the keys that a payer trusts", () => {
  test.each([
    ["with its port", ({ host }: URL) => host],
    ["in capital letters", ({ port }: URL) => `LOCALHOST:${port}`],
    ["in capital letters, without its port", () => "LocalHost"],
  ])("are those of a host that is written %s", async (_what, spell) => {
    const { url } = await openSeller("localhost");
    // By its document the seller's key is right, but the payer trusts another one.
    const pinned = { keys: { [spell(new URL(url))]: [signingDid] } };
    expect(await refusalOf(shop.payer({ signedOffers: pinned })(url))).toBe("offer_signature_invalid");
    expect((await shop.payer({ signedOffers: { required: true } })(url)).status).toBe(200);
  });

  test.each([
    ["an address", { "https://shop.example": [signingDid] }],
    ["a path", { "shop.example/": [signingDid] }],
    ["one host twice", { "shop.example": [signingDid], "Shop.Example": [signingDid] }],
  ])("are refused as an option if they name %s", (_what, keys) => {
    expect(() => shop.payer({ signedOffers: { keys } })).toThrow("signedOffers.keys must list DIDs by host");
  });
});

test("a receipt that cannot be checked is handed out with the fault receipt_unverifiable", async () => {
  const { url, did, document, serveDocument } = await openSeller();
  const sign = createJwsSigner(Buffer.from("07".repeat(32), "hex"), `${did}#key-2`);
  let tell: (made: MadePayment) => void;
  const made = new Promise<MadePayment>((resolve) => {
    tell = resolve;
  });
  let sent = "";
  const pay = shop.payer({
    ...{ signedOffers: { required: true }, onPayment: (payment) => tell(payment) },
    fetch: receiving((terms) => {
      serveDocument(() => new Response(null, { status: 503 }));
      sent = sign(terms);
      return sent;
    }),
  });
  expect(document.id).toBe(did);
  expect((await pay(url)).status).toBe(200);
  expect(await made).toMatchObject({
    ...{ signedReceipt: null, receiptFault: "receipt_unverifiable", refusedReceipt: sent },
  });
});
