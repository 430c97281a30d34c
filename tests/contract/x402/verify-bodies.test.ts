import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answers } from "../../../lib/contract/answers.ts";
import { signPayment } from "../../harness/sign-payment.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let gateway: Gateway;
beforeAll(async () => {
  chain = await startSandboxChain();
  await chain.produceBlocks(10);
  gateway = await startGateway({ settings: { HIVE_NODES: chain.url, HIVE_CHAIN_ID: chain.chainId } });
});
afterAll(async () => {
  await gateway?.close();
  await chain?.close();
});

async function post(body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.url}/api/x402/verify`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe("bodies of POST /verify", () => {
  const malformed: Array<[number, string, unknown]> = [
    [400, "malformed JSON", "{"],
    [400, "a list", "[]"],
    [400, "null", "null"],
    [400, "an empty object", {}],
    [400, "no payload", { paymentRequirements: {} }],
    [400, "a payload that is text", { paymentPayload: "x", paymentRequirements: {} }],
    [413, "more than 32 KiB", { filler: "x".repeat(33_000) }],
  ];
  test.each(malformed)("returns %i in the verification's shape for %s", async (status, _, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    const requestId = answer.headers.get("x-request-id");
    expect(answer.body).toMatchObject({ isValid: false, invalidReason: "invalid_payload", requestId });
    expect(answers.VerifyFailure.safeParse(answer.body).error).toBeUndefined();
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("accepts a body of exactly 32 KiB", async () => {
    const { request } = await signPayment(chain);
    const body = JSON.stringify(request);
    expect((await post(body.padEnd(32 * 1024))).body).toMatchObject({ isValid: true });
    expect((await post(body.padEnd(32 * 1024 + 1))).status).toBe(413);
  });

  test("returns 413 for more than 32 KiB even without a declared length", async () => {
    const response = await fetch(`${gateway.url}/api/x402/verify`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new Blob([" ".repeat(33_000)]).stream(),
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(413);
  });

  test("returns 415 for a body not declared as JSON", async () => {
    expect((await post("{}", { "content-type": "text/plain" })).status).toBe(415);
  });

  test("returns 415 for a compressed body, with the reason", async () => {
    const { status, body } = await post("{}", { "content-encoding": "gzip" });
    expect([status, body]).toMatchObject([
      415,
      { isValid: false, error: expect.stringContaining("compression") },
    ]);
  });

  test("returns 400 for a missing body", async () => {
    const response = await fetch(`${gateway.url}/api/x402/verify`, { method: "POST" });
    expect([response.status, await response.json()]).toMatchObject([400, { code: "invalid_json" }]);
  });

  test("returns 400 for JSON nested ten thousand levels deep", async () => {
    const answer = await post(`${"[".repeat(10_000)}${"]".repeat(10_000)}`);
    expect(answer.status).toBe(400);
  });
});
