import { Pool } from "undici";
import type { Settlement } from "../../lib/x402/facilitator/index.ts";
import { cpuMs, type Subject } from "./children.ts";
import type { Measured } from "./measure-in-turn.ts";
import { signBenchPayments } from "./verify-payment.ts";

/**
 * Settles this many payments at once, each of which the chain includes immediately, and measures the
 * processor time of one settlement.
 */
export async function measureSettle({ url, pid }: Subject, payments: number): Promise<Measured> {
  const bodies = await signBenchPayments(payments);
  const pool = new Pool(url, { connections: payments });
  const headers = { "content-type": "application/json" };
  const before = cpuMs(pid);
  const startedAtMs = performance.now();
  await Promise.all(
    bodies.map(async (body) => {
      for (;;) {
        const answer = await pool.request({ method: "POST", path: "/settle", headers, body });
        const { success, errorReason } = (await answer.body.json()) as Settlement;
        if (success) return;
        // On a slow machine a call may end before the payment's block, and the next one waits on.
        if (errorReason !== "settlement_pending") throw new Error(`${url} did not settle a good payment`);
      }
    }),
  );
  const seconds = (performance.now() - startedAtMs) / 1000;
  const cpuUs = ((cpuMs(pid) - before) * 1000) / payments;
  await pool.close();
  return { perSecond: payments / seconds, cpuUs };
}
