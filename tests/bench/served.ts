import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { networkNames } from "../../lib/chains.ts";
import { signPayment } from "../../lib/x402/client/index.ts";
import { withPaywall } from "../../lib/x402/next.ts";
import { offerOf } from "../harness/ask-paid.ts";
import { serveFacilitator } from "../harness/serve-facilitator.ts";
import { serveWeb } from "../harness/serve-web.ts";
import { startFacilitator } from "../harness/start-facilitator.ts";
import { startSandboxChain } from "../harness/start-sandbox-chain.ts";
import { wifOf } from "../harness/start-shop.ts";

const BLOCK_MS = 3000;
const POLL_MS = 500;
const PAYMENTS = 60;
/** Not a divisor of a block's time, so that payments are signed at all moments between two blocks. */
const EVERY_MS = 1013;

/**
 * The time from a payment's signature to its content, on a chain with a block every three seconds, in a whole number of
 * milliseconds: the middle, the slowest twentieth and the slowest of 60 payments.
 */
export async function measureServed() {
  const chain = await startSandboxChain({ blockIntervalMs: BLOCK_MS, extraNodes: 1 });
  const facilitator = await startFacilitator(chain, { pollMs: POLL_MS, waitMs: 3 * BLOCK_MS });
  const door = await serveFacilitator(facilitator);
  const [network] = networkNames(chain.chainId);
  const dataDir = mkdtempSync(join(tmpdir(), "hivegate-bench-"));
  const price = { amount: "0.001 HBD", receivingAccount: "shop", facilitatorUrl: door.url, network, dataDir };
  const shop = await serveWeb(withPaywall(price, () => new Response("sold")));
  const purse = { account: "alice", activeKey: wifOf("alice"), nodes: chain.urls, chainId: chain.chainId };
  const buy = async () => {
    const requirements = await offerOf(await fetch(shop.url));
    const payment = await signPayment({ ...purse, requirements });
    const startedAtMs = performance.now();
    const { status } = await fetch(shop.url, { headers: { "x-payment": payment } });
    if (status !== 200) throw new Error(`the shop answered ${status} to a good payment`);
    return performance.now() - startedAtMs;
  };
  try {
    await buy();
    const buying: Array<Promise<number>> = [];
    for (let signed = 0; signed < PAYMENTS; signed++) {
      buying.push(buy());
      await wait(EVERY_MS);
    }
    const times = (await Promise.all(buying)).sort((one, other) => one - other);
    const at = (share: number) => Math.round(times[Math.ceil(times.length * share) - 1] ?? 0);
    return { payments: PAYMENTS, p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
  } finally {
    await shop.close();
    await door.close();
    await facilitator.close();
    await chain.close();
  }
}
