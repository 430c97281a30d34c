import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { signPayment } from "../../lib/x402/client/index.ts";
import { decodePayment } from "../../lib/x402/codec.ts";
import { readTransfer } from "../../lib/x402/transfer.ts";
import { askPaid, offerOf, receiptOf } from "../harness/ask-paid.ts";
import { balancesOf } from "../harness/balances-of.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/start-gateway-process.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";
import { wifOf } from "../harness/start-shop.ts";

let chain: SandboxChain;
let dataDir: string;
const running: GatewayProcess[] = [];
beforeEach(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 100 });
  dataDir = await mkdtemp(join(tmpdir(), "app-"));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((app) => app.close()));
  await chain.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function startApp() {
  const app = await startGatewayProcess({
    settings: {
      DATA_DIR: dataDir,
      HIVE_NODES: chain.url,
      HIVE_CHAIN_ID: chain.chainId,
      X402_NETWORK: "chain:sandbox",
      PUBLIC_URL: "http://shop.example",
    },
  });
  running.push(app);
  return app;
}

const PATH = "/api/demo/articles/three-seconds-and-no-fee";

describe("an app killed during a payment for an article", () => {
  test("delivers the article for the same payment after the restart, charged once", async () => {
    const app = await startApp();
    const requirements = await offerOf(await fetch(app.url + PATH));
    const purse = { account: "alice", activeKey: wifOf("alice"), nodes: [chain.url], chainId: chain.chainId };
    const payment = await signPayment({ ...purse, requirements });
    await chain.holdTransactions(true);
    const lost = fetch(app.url + PATH, { headers: { "x-payment": payment } }).catch(() => "no answer");
    const transfer = readTransfer(decodePayment(payment).payload.signedTransaction);
    if (typeof transfer === "string") throw new Error(transfer);
    const transaction_id = transfer.ids.legacy;
    await expect
      .poll(() => chain.call("transaction_status_api.find_transaction", { transaction_id }))
      .toMatchObject({ status: "within_mempool" });
    await running.pop()?.kill();
    expect(await lost).toBe("no answer");
    await chain.holdTransactions(false);

    const next = await startApp();
    const delivered = await askPaid(next.url + PATH, payment);
    expect(delivered.status).toBe(200);
    expect(receiptOf(delivered)).toMatchObject({ success: true, payer: "alice" });
    expect(await delivered.json()).toMatchObject({ slug: "three-seconds-and-no-fee", payer: "alice" });
    expect((await askPaid(next.url + PATH, payment)).status).toBe(402);
    expect(await balancesOf(chain)).toMatchObject({ alice: 99_950, shop: 50 });
  });
});
