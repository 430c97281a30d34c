import { Pool } from "undici";
import { cpuMs, type Subject, startBuiltFacilitator, startScript } from "./children.ts";
import { BENCH_CHAIN_ID, signBenchPayments } from "./verify-payment.ts";

/** Twice as many as the keys that a facilitator caches, so that each is recovered at each verification. */
const PAYMENTS = 2000;

/** The minimal work of any facilitator, which recovers the key of the payment's signature. */
export const BARE_RECOVERY = "bare recovery";

/** Starts the floor and the facilitator over a chain that answers immediately. */
export async function startVerifySubjects(): Promise<{ floor: Subject; facilitator: Subject; stop(): void }> {
  const chain = await startScript("chain", "verify-chain.ts", [], 1);
  const floor = await startScript(BARE_RECOVERY, "verify-floor.ts", [], 0);
  const facilitator = await startBuiltFacilitator("hivegate", {
    ...{ HIVE_NODES: chain.url, HIVE_CHAIN_ID: BENCH_CHAIN_ID, OUTSIDE_FETCH: "off", RATE_LIMITS: "off" },
  });
  return {
    floor,
    facilitator,
    stop() {
      for (const subject of [chain, floor, facilitator]) subject.stop();
    },
  };
}

let signed: ReturnType<typeof signBenchPayments> | undefined;

/** The number of payments that each server has verified. Each round goes on where the last one ended. */
const verified = new Map<string, number>();

/**
 * Sends valid payments to `/verify` over this many connections for this many seconds, and measures processor
 * time per request in microseconds.
 */
export async function measureVerify(
  { url, pid }: Subject,
  connections: number,
  seconds: number,
): Promise<{ perSecond: number; cpuUs: number }> {
  signed ??= signBenchPayments(PAYMENTS);
  const bodies = await signed;
  const pool = new Pool(url, { connections });
  const headers = { "content-type": "application/json" };
  let answers = 0;
  const ask = async () => {
    answers++;
    const number = verified.get(url) ?? 0;
    verified.set(url, number + 1);
    const body = bodies[number % PAYMENTS] ?? "";
    const answer = await pool.request({ method: "POST", path: "/verify", headers, body });
    const { isValid } = (await answer.body.json()) as { isValid: boolean };
    if (!isValid) throw new Error(`${url} refused a good payment`);
  };
  await Promise.all(Array.from({ length: connections }, ask));
  answers = 0;
  const before = cpuMs(pid);
  const endsAtMs = performance.now() + seconds * 1000;
  const keepAsking = async () => {
    while (performance.now() < endsAtMs) await ask();
  };
  await Promise.all(Array.from({ length: connections }, keepAsking));
  const cpuUs = ((cpuMs(pid) - before) * 1000) / answers;
  await pool.close();
  return { perSecond: answers / seconds, cpuUs };
}
