import {
  assertSIWxChallengeBoundToOrigin,
  createSIWxClientExtension,
  formatSIWSMessage,
  parseSIWxHeader,
  validateSIWxMessage,
  verifySIWxSignature,
  wrapFetchWithSIWx,
} from "@x402/extensions/sign-in-with-x";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { expect, test } from "vitest";
import { withPaywall } from "#lib/x402/next.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { createClientScheme } from "#lib/x402/scheme/index.ts";
import { openShop } from "../../harness/open-shop.ts";
import { makeOfferV2, serveVersion2 } from "../../harness/serve-version2.ts";
import { challengeOf, encodeProof, proofOf, textOf } from "../../harness/sign-in.ts";
import { wifOf } from "../../harness/start-shop.ts";

const { shop, keep, serve } = await openShop();

const sell = () => {
  const GET = withPaywall<Request, object>(
    {
      ...{ ...shop.price, nodes: shop.chain.urls, store: createMemoryClaimStore() },
      access: { for: "30d" },
    },
    () => Response.json("content"),
  );
  return serve((request) => GET(request, {}));
};

async function openChallenge() {
  const url = await sell();
  const challenge = challengeOf(await fetch(url));
  const [chain] = challenge?.supportedChains ?? [];
  if (!challenge || !chain) throw new Error("no challenge");
  return { url, challenge, info: { ...challenge.info, ...chain } as never };
}

/** A wallet that must not be asked to sign. */
const evmWallet = {
  address: "0x857b06519E91e3A54538791bDbb0E22373e36b66" as const,
  signMessage: async () => {
    throw new Error("asked to sign for another chain");
  },
};

test("the official validator accepts our challenge and our client's answer", async () => {
  const { url, challenge, info } = await openChallenge();
  expect(() => assertSIWxChallengeBoundToOrigin(info, url)).not.toThrow();
  const proof = proofOf(challenge) as never;
  expect(await validateSIWxMessage(proof, new URL(url), { checkNonce: () => true })).toEqual({
    isValid: true,
  });
  expect(await validateSIWxMessage(proof, new URL("https://shop.example"))).toMatchObject({
    invalidReason: "invalid_siwx_domain_mismatch",
  });
});

test("the signed text equals the official package's, with Hive's name", async () => {
  const { challenge, info } = await openChallenge();
  const official = formatSIWSMessage(info, "alice").replace("your Solana account", "your Hive account");
  expect(textOf(challenge, "alice")).toBe(official);
});

test("the official verifier does not support Hive, and returns the specification's code for that", async () => {
  const { challenge } = await openChallenge();
  const proof = proofOf(challenge);
  expect(await verifySIWxSignature(proof as never)).toMatchObject({
    isValid: false,
    invalidReason: "invalid_siwx_unsupported_chain",
  });
  // The official parser accepts only the types of other chains.
  expect(() => parseSIWxHeader(encodeProof(proof))).toThrow("type");
  expect(parseSIWxHeader(encodeProof({ ...proof, type: "eip191" }))).toMatchObject({ address: "alice" });
});

test("an official client with the sign-in extension pays without signing in", async () => {
  const url = await sell();
  const client = new x402Client()
    .register("chain:sandbox", createClientScheme(shop.purse()))
    .registerExtension(createSIWxClientExtension({ signers: [evmWallet as never] }));
  const before = await shop.balances();
  const response = await wrapFetchWithPayment(wrapFetchWithSIWx(fetch, evmWallet as never), client)(url);
  expect([response.status, await response.json()]).toEqual([200, "content"]);
  expect((await shop.balances()).alice).toBe(before.alice - 50);
});

test("our client ignores a sign-in for other chains, and pays", async () => {
  const extensions = (asked: URL) => ({
    "sign-in-with-x": {
      info: {
        ...{ domain: asked.host, uri: asked.href, version: "1", nonce: "a1".repeat(16) },
        issuedAt: new Date().toISOString(),
      },
      supportedChains: [{ chainId: "eip155:8453", type: "eip191" }],
      schema: {},
    },
  });
  const server = await serveVersion2([makeOfferV2()], {
    message: (asked) => ({ extensions: extensions(asked) }),
  });
  await keep(Promise.resolve(server));
  const pay = shop.payer({ postingKey: wifOf("alice", "posting") });
  expect((await pay(server.url)).status).toBe(200);
  expect(server.payments()).toHaveLength(1);
  expect(server.sent.some((headers) => headers.has("sign-in-with-x"))).toBe(false);
});
