import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPayingFetch, type MadePayment, type PaymentError } from "../../../lib/x402/client/index.ts";
import type { DidDocument } from "../../../lib/x402/index.ts";
import { readChecked } from "../../harness/check-answer.ts";
import { signing, signingDid } from "../../harness/signing-key.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";
import { wifOf } from "../../harness/start-shop.ts";

const PUBLIC_URL = "http://localhost:3000";
const path = "/api/demo/articles/the-answer-nobody-used";
const [, name = ""] = signingDid.split("#");
const former = "z6MkvgaCXLPCcGqTNLCVXCTLNV3iUVV9aC3U7aEVJLQ7Ys3A";
const did = "did:web:localhost%3A3000";

let chain: SandboxChain;
let gateway: Gateway;
let settings: Record<string, string>;
beforeAll(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 100 });
  settings = {
    ...{ HIVE_NODES: chain.url, HIVE_CHAIN_ID: chain.chainId, X402_NETWORK: "chain:sandbox", PUBLIC_URL },
    X402_FORMER_KEYS: `${former},${name}`,
  };
  gateway = await startGateway({ settings: { ...settings, X402_SIGNING_KEY: signing.privateKey } });
});
afterAll(async () => {
  await gateway.close();
  await chain.close();
});

/** Creates a payer that reaches the gateway at its public address, through a proxy. */
const payerOf = ({ url }: Gateway, onPayment: (made: MadePayment) => void) =>
  createPayingFetch({
    ...{ account: "alice", activeKey: wifOf("alice"), nodes: [chain.url], chainId: chain.chainId },
    ...{ maxPayment: "1.000 HBD", signedOffers: { required: true }, onPayment },
    async fetch(input, init) {
      const { body, status, headers } = await fetch(String(input).replace(PUBLIC_URL, url), init);
      return new Response(body, { status, headers });
    },
  });

describe("a gateway with a signing key", () => {
  test("sells for a signed offer and signs the receipt, by the key in its DID document", async () => {
    let tell: (made: MadePayment) => void = () => {};
    const made = new Promise<MadePayment>((resolve) => {
      tell = resolve;
    });
    const pay = payerOf(gateway, (payment) => tell(payment));
    expect((await pay(PUBLIC_URL + path)).status).toBe(200);
    const { signedReceipt, txId } = await made;
    const [header, terms] = (signedReceipt ?? "")
      .split(".")
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
    expect(header).toEqual({ alg: "EdDSA", kid: `${did}#${name}` });
    expect(terms).toMatchObject({ payer: "alice", resourceUrl: PUBLIC_URL + path, transaction: txId });
  });

  test("lists the key, the former ones and no private part in GET /.well-known/did.json", async () => {
    const response = await fetch(`${gateway.url}/.well-known/did.json`);
    expect(response.headers.get("cache-control")).toBe("public, max-age=60");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const document = (await readChecked("GET", response)) as DidDocument;
    expect(document).toMatchObject({ id: did, assertionMethod: [`${did}#${name}`] });
    expect(document.verificationMethod.map(({ id }) => id)).toEqual([`${did}#${name}`, `${did}#${former}`]);
    expect(JSON.stringify(document)).not.toContain(signing.privateKey);
  });
});

describe("a gateway without a signing key", () => {
  test("signs nothing, and answers 404 to GET /.well-known/did.json", async () => {
    const { X402_FORMER_KEYS: _formerKeys, ...unsigned } = settings;
    const plain = await startGateway({ settings: unsigned });
    try {
      const response = await fetch(`${plain.url}/.well-known/did.json`);
      expect([response.status, await readChecked("GET", response)]).toMatchObject([
        404,
        { code: "not_found" },
      ]);
      const refused = payerOf(plain, () => {})(PUBLIC_URL + path);
      await expect(refused).rejects.toMatchObject({
        code: "offer_not_signed",
      } satisfies Partial<PaymentError>);
    } finally {
      await plain.close();
    }
  });
});
