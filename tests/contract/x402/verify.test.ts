import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAINNET_CHAIN_ID } from "../../../lib/chains.ts";
import { balancesOf } from "../../harness/balances-of.ts";
import { type PaymentOptions, type SignedPayment, signPayment } from "../../harness/sign-payment.ts";
import { secretOf } from "../../harness/sign-transaction.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";
import { unique } from "../../harness/unique.ts";

let chain: SandboxChain;
let gateway: Gateway;
beforeAll(async () => {
  chain = await startSandboxChain();
  await chain.produceBlocks(10);
  await chain.setAccount({ name: "worn", hbdMils: 1000, resources: { current: 0, max: 0 } });
  gateway = await startGatewayOf(chain.url);
});
afterAll(async () => {
  await gateway?.close();
  await chain?.close();
});

/** An address at which nothing listens. */
const UNREACHABLE = "http://127.0.0.1:9";

const startGatewayOf = (node: string) =>
  startGateway({
    settings: { HIVE_NODES: node, HIVE_CHAIN_ID: chain.chainId, X402_NETWORK: "chain:sandbox" },
  });

type Request = SignedPayment["request"];
/** Deep changes to a request, which may violate its type. */
// biome-ignore lint/suspicious/noExplicitAny: hostile requests are of no type
type Change = (request: any) => unknown;

async function post(body: unknown, headers: Record<string, string> = {}, at = gateway) {
  const response = await fetch(`${at.url}/api/x402/verify`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function verify(options: PaymentOptions = {}, change: Change = () => {}) {
  const { request } = await signPayment(chain, options);
  change(request);
  return post(request satisfies Request);
}

const hourAhead = (request: Request) => {
  request.paymentRequirements.validBefore = new Date(Date.now() + 3_600_000).toISOString();
};

describe("POST /verify", () => {
  test.each(["legacy", "hf26"] as const)(
    "accepts a good payment in %s packing and changes nothing",
    async (packing) => {
      const balances = await balancesOf(chain);
      const answer = await verify({ packing });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ isValid: true, payer: "alice" });
      expect(answer.headers.get("cache-control")).toBe("no-store");
      await chain.produceBlocks();
      expect(await balancesOf(chain)).toEqual(balances);
    },
  );

  test("accepts assets in numeric form, and a body without the outer version", async () => {
    expect((await verify({ form: "nai" })).body.isValid).toBe(true);
    expect((await verify({}, (request) => delete request.x402Version)).body.isValid).toBe(true);
  });

  const toVersion2: Change = (request) => {
    const accepted = {
      scheme: "exact",
      network: "chain:sandbox",
      asset: "HBD",
      amount: "50",
      payTo: "shop",
      maxTimeoutSeconds: 300,
    };
    const { payload } = request.paymentPayload;
    request.x402Version = 2;
    request.paymentPayload = { x402Version: 2, accepted, payload };
    request.paymentRequirements = accepted;
  };

  test("accepts version 2 with its `accepted` entry and an amount in the smallest unit", async () => {
    expect((await verify({}, toVersion2)).body).toEqual({ isValid: true, payer: "alice" });
  });

  test("limits a payment of version 2 to its maxTimeoutSeconds", async () => {
    const answer = await verify({ livesSeconds: 310 }, toVersion2);
    expect(answer.body).toMatchObject({ isValid: false, invalidReason: "expiration_too_far" });
  });

  test.each<[string, PaymentOptions, Change]>([
    ["ten minutes to live", { livesSeconds: 600 }, hourAhead],
    ["a life that ends with validBefore", { livesSeconds: 300 }, () => {}],
    ["a second more than two blocks to live", { livesSeconds: 7 }, () => {}],
    ["the payer's last coin", { from: "erin", mils: 1000 }, () => {}],
  ])("accepts %s, just within the limit", async (_, options, change) => {
    expect((await verify(options, change)).body).toMatchObject({ isValid: true });
  });

  const transactionOf = (request: Request) =>
    request.paymentPayload.payload.signedTransaction as Record<string, unknown>;

  const transferIn = (request: Request) => {
    const [[, transfer]] = transactionOf(request).operations as [[string, Record<string, string>]];
    return transfer as { from: string; memo: string };
  };

  const refusals: Array<[string, string, PaymentOptions, Change]> = [
    ["unsupported_version", "a payload of version 3", {}, (r) => (r.paymentPayload.x402Version = 3)],
    [
      "unsupported_version",
      "requirements of another version",
      {},
      (r) => (r.paymentRequirements.x402Version = 2),
    ],
    ["unsupported_version", "an outer version that differs", {}, (r) => (r.x402Version = 2)],
    ["unsupported_scheme", "a payload for upto", {}, (r) => (r.paymentPayload.scheme = "upto")],
    ["unsupported_scheme", "requirements for upto", {}, (r) => (r.paymentRequirements.scheme = "upto")],
    ["unsupported_network", "a payload for mainnet", {}, (r) => (r.paymentPayload.network = "hive:mainnet")],
    [
      "unsupported_network",
      "requirements for mainnet",
      {},
      (r) => (r.paymentRequirements.network = "chain:mainnet"),
    ],
    [
      "invalid_amount",
      "a price without decimals",
      {},
      (r) => (r.paymentRequirements.maxAmountRequired = "1 HBD"),
    ],
    ["invalid_amount", "a price of zero", {}, (r) => (r.paymentRequirements.maxAmountRequired = "0.000 HBD")],
    [
      "asset_mismatch",
      "a price in HIVE",
      {},
      (r) => (r.paymentRequirements.maxAmountRequired = "0.050 HIVE"),
    ],
    ["amount_mismatch", "too little", {}, (r) => (r.paymentRequirements.maxAmountRequired = "0.051 HBD")],
    ["amount_mismatch", "too much", {}, (r) => (r.paymentRequirements.maxAmountRequired = "0.049 HBD")],
    ["recipient_mismatch", "another payee", {}, (r) => (r.paymentRequirements.payTo = "bob")],
    ["self_payment", "a payment to oneself", { to: "alice" }, () => {}],
    ["memo_invalid", "a memo of another kind", { memo: "rent for may" }, () => {}],
    ["memo_invalid", "a nonce that is too short", { nonce: "abc" }, () => {}],
    ["memo_invalid", "a nonce that is too long", { nonce: "a".repeat(65) }, () => {}],
    ["memo_invalid", "a nonce of other characters", { nonce: "0123456789abcdef!" }, () => {}],
    ["memo_invalid", "half a surrogate pair in the memo", {}, (r) => (transferIn(r).memo = "\ud800")],
    ["memo_invalid", "a memo of 2048 bytes", {}, (r) => (transferIn(r).memo = "ü".repeat(1024))],
    ["memo_invalid", "a NUL in the memo", {}, (r) => (transferIn(r).memo += "\0")],
    ["invalid_payload", "half a surrogate pair in the payer", {}, (r) => (transferIn(r).from += "\ud800")],
    [
      "recipient_mismatch",
      "half a surrogate pair in payTo",
      {},
      (r) => (r.paymentRequirements.payTo = "\ud800"),
    ],
    [
      "nonce_mismatch",
      "half a surrogate pair in the nonce",
      {},
      (r) => (r.paymentPayload.payload.nonce = "\ud800"),
    ],
    ["transaction_expired", "an expiration that is over", { livesSeconds: -1 }, () => {}],
    ["transaction_expired", "less than two blocks to live", { livesSeconds: 6 }, () => {}],
    ["expiration_too_far", "more than ten minutes to live", { livesSeconds: 601 }, hourAhead],
    ["expiration_too_far", "a life beyond validBefore", { livesSeconds: 301 }, () => {}],
    [
      "requirements_expired",
      "a validBefore in the past",
      {},
      (r) => (r.paymentRequirements.validBefore = "2020-01-01T00:00:00Z"),
    ],
    [
      "requirements_expired",
      "an unreadable validBefore",
      {},
      (r) => (r.paymentRequirements.validBefore = "soon"),
    ],
    [
      "requirements_expired",
      "a validBefore equal to the chain's time",
      { livesSeconds: 60 },
      (r) =>
        (r.paymentRequirements.validBefore = new Date(
          Date.parse(`${transactionOf(r).expiration}Z`) - 60_000,
        ).toISOString()),
    ],
    ["requirements_expired", "no validBefore", {}, (r) => delete r.paymentRequirements.validBefore],
    ["signature_missing", "no signature", {}, (r) => (transactionOf(r).signatures = [])],
    ["signature_invalid", "junk for a signature", {}, (r) => (transactionOf(r).signatures = ["zz"])],
    ["authority_not_satisfied", "the posting key", { keys: [secretOf("alice", "posting")] }, () => {}],
    ["authority_not_satisfied", "the owner key", { keys: [secretOf("alice", "owner")] }, () => {}],
    ["authority_not_satisfied", "somebody else's key", { keys: [secretOf("bob", "active")] }, () => {}],
    ["wrong_chain", "a signature for the main chain", { chainId: MAINNET_CHAIN_ID }, () => {}],
    [
      "wrong_chain",
      "a signature for the main chain in the newer packing",
      { chainId: MAINNET_CHAIN_ID, packing: "hf26" },
      () => {},
    ],
    [
      "authority_not_satisfied",
      "somebody else's key on the main chain",
      { chainId: MAINNET_CHAIN_ID, keys: [secretOf("bob", "active")] },
      () => {},
    ],
    ["authority_not_satisfied", "a signature for an unknown chain", { chainId: "c0de".repeat(16) }, () => {}],
    ["account_not_found", "an unknown payer", { from: "nobody-x" }, () => {}],
    ["account_not_found", "an unknown payee", { to: "nobody-x" }, () => {}],
    ["insufficient_funds", "an empty purse", { from: "dave" }, () => {}],
    ["insufficient_funds", "more than the payer's balance", { from: "erin", mils: 1001 }, () => {}],
    ["insufficient_funds", "no resource credits", { from: "worn" }, () => {}],
    ["tapos_mismatch", "a block from before the first", {}, (r) => (transactionOf(r).ref_block_num = 60_000)],
    [
      "tapos_mismatch",
      "a reference that is not the chain's",
      {},
      (r) => (transactionOf(r).ref_block_num = 3),
    ],
    ["invalid_payload", "a field that the chain would drop", {}, (r) => (transactionOf(r).extra = 1)],
  ];
  test.each(refusals)("returns %s for %s", async (reason, _, options, change) => {
    const answer = await verify(options, change);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ isValid: false, invalidReason: reason });
  });

  test.each([null, 5, "", "0123456789abcdef0123456789abcdef", [], {}, "x".repeat(10_000)])(
    "returns nonce_mismatch for a nonce that differs from the memo's (%#)",
    async (nonce) => {
      const answer = await verify({}, (request) => {
        request.paymentPayload.payload.nonce = nonce;
      });
      expect(answer.body).toMatchObject({ isValid: false, invalidReason: "nonce_mismatch" });
    },
  );

  test("returns nonce_mismatch for a payload without a nonce", async () => {
    const answer = await verify({}, (request) => delete request.paymentPayload.payload.nonce);
    expect(answer.body).toMatchObject({ isValid: false, invalidReason: "nonce_mismatch" });
  });

  test("returns account_not_found for a payee until the account exists", async () => {
    const name = unique("n");
    const { request } = await signPayment(chain, { to: name });
    expect((await post(request)).body.invalidReason).toBe("account_not_found");
    await chain.setAccount({ name });
    expect((await post(request)).body).toEqual({ isValid: true, payer: "alice" });
  });

  test("returns 503 with Retry-After, never `isValid: false`, when the chain is unreachable", async () => {
    const { request } = await signPayment(chain);
    const cutOff = await startGatewayOf(UNREACHABLE);
    try {
      const answer = await post(request, {}, cutOff);
      expect(answer.status).toBe(503);
      expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(answer.body).toMatchObject({ code: "chain_unavailable", invalidReason: "chain_unavailable" });
    } finally {
      await cutOff.close();
    }
  });
});
