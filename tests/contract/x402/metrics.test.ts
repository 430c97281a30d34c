import { afterEach, beforeEach, expect, test } from "vitest";
import { signPayment } from "../../harness/sign-payment.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

const METRICS_TOKEN = "a-token-for-metrics";

let chain: SandboxChain;
let gateway: Gateway;
beforeEach(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 100, extraNodes: 2 });
  gateway = await startGateway({
    settings: {
      HIVE_NODES: chain.urls.join(","),
      HIVE_CHAIN_ID: chain.chainId,
      X402_NETWORK: "chain:sandbox",
      METRICS_TOKEN,
    },
  });
});
afterEach(async () => {
  await gateway?.close();
  await chain?.close();
});

async function post(path: "verify" | "settle", body: unknown) {
  const response = await fetch(`${gateway.url}/api/x402/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.text();
}

async function readMetrics(): Promise<string[]> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const text = await (await fetch(`${gateway.url}/api/metrics`, { headers })).text();
  return text.split("\n").filter((line) => /^hivegate_(payment|chain)/.test(line));
}

test("payments are counted by call and outcome, with duration, result and failed nodes", async () => {
  const { request, txId } = await signPayment(chain);
  await chain.setFault({ kind: "cut", times: 1, method: "database_api.find_accounts" });
  await post("verify", request);
  await post("settle", request);
  await post("settle", request);
  await post("verify", (await signPayment(chain, { from: "dave" })).request);
  await post("verify", {});
  const lines = await readMetrics();
  expect(lines).toEqual(
    expect.arrayContaining([
      'hivegate_payment_answers_total{call="verify",outcome="ok"} 1',
      'hivegate_payment_answers_total{call="verify",outcome="insufficient_funds"} 1',
      'hivegate_payment_answers_total{call="verify",outcome="invalid_request"} 1',
      'hivegate_payment_answers_total{call="settle",outcome="ok"} 1',
      'hivegate_payment_answers_total{call="settle",outcome="payment_replayed"} 1',
      'hivegate_payment_duration_seconds_count{call="verify"} 3',
      'hivegate_payment_duration_seconds_count{call="settle"} 2',
      'hivegate_payment_events_total{event="settled"} 1',
      'hivegate_chain_failovers_total{call="read"} 1',
    ]),
  );
  expect(lines.filter((line) => line.includes(txId) || line.includes("alice"))).toEqual([]);
});
