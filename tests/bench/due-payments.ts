import { createClient } from "redis";
import { createRedisStore } from "../../lib/store/redis-store.ts";
import { startRedis } from "../harness/start-redis.ts";

const KEYS = 1_000_000;
const BATCH = 5000;
const ROUNDS = 200;
const SETS = ["open", "reversible", "closed"].map((name) => `x402:payments:${name}`);
const YEAR_MS = 365 * 86_400_000;

/** Fills a batch with entries of settled payments, none of which is due to be forgotten. */
const fill = `for index = 1, ${BATCH} do
  local id = tostring(ARGV[1] + index)
  redis.call("SET", "{hivegate}:x402:payment:" .. id, "0123456789")
  redis.call("ZADD", KEYS[1], ARGV[2] + index, id)
end`;

/**
 * Measures one search for due payments among a million keys in Redis: the median time, and Redis's CPU time.
 */
export async function measureDuePayments() {
  const redis = await startRedis();
  const client = await createClient({ url: redis.url }).connect();
  const store = await createRedisStore({ url: redis.url });
  const cpuSeconds = async () => Number(/used_cpu_user:(\S+)/.exec(await client.info("cpu"))?.[1]);
  try {
    for (let start = 0; start < KEYS; start += BATCH)
      await client.eval(fill, {
        keys: ["{hivegate}:x402:payments:closed"],
        arguments: [String(start), String(Date.now() + YEAR_MS)],
      });
    const times: number[] = [];
    const before = await cpuSeconds();
    for (let round = 0; round < ROUNDS; round++) {
      const startedAtMs = performance.now();
      await Promise.all(SETS.map((set) => store.range(set, Date.now(), 1000)));
      times.push(performance.now() - startedAtMs);
    }
    const cpuMs = (((await cpuSeconds()) - before) * 1000) / ROUNDS;
    const middle = times.sort((one, other) => one - other)[ROUNDS / 2] ?? 0;
    const rounded = (value: number) => Math.round(value * 100) / 100;
    return { keys: await client.dbSize(), medianMs: rounded(middle), redisCpuMs: rounded(cpuMs) };
  } finally {
    await store.close();
    client.destroy();
    await redis.close();
  }
}
