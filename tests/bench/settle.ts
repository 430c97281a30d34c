import { Pool } from "undici";
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
      const answer = await pool.request({ method: "POST", path: "/settle", headers, body });
      const { success } = (await answer.body.json()) as { success: boolean };
      if (!success) throw new Error(`${url} did not settle a good payment`);
    }),
  );
  const seconds = (performance.now() - startedAtMs) / 1000;
  const cpuUs = ((cpuMs(pid) - before) * 1000) / payments;
  await pool.close();
  return { perSecond: payments / seconds, cpuUs };
}
