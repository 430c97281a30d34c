import { z } from "zod";
import { CodedError } from "../../errors.ts";
import { type Bucket, overQuota, type Quota, takeToken } from "../../http/rate-limit.ts";
import type { Store } from "../../store/store.ts";

const ATTEMPTS = 20;

const StoredBucket: z.ZodType<Bucket> = z.object({ tokens: z.number(), at: z.number() });

/** A quota, and the subject whose share of it is spent. */
type Share = { limit: Quota; subject: string };

/**
 * Spends one request from each of the quotas, or from none if any is exhausted, and returns how many requests
 * remain in each. Processes on a store share the quotas, and a restart does not refill them.
 * @throws CodedError `rate_limited`; `overloaded` under heavy contention
 */
export async function spendStoredQuotas(
  { store, now }: { store: Store; now: () => number },
  shares: readonly Share[],
): Promise<number[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await Promise.all(
      shares.map(async ({ limit, subject }) => {
        const key = `quota:${limit.name}:${subject}`;
        const text = await store.get(key);
        const present = text === null ? undefined : StoredBucket.parse(JSON.parse(text));
        return { limit, key, text, ...takeToken(limit, present, now()) };
      }),
    );
    const over = found.find(({ isTaken }) => !isTaken);
    if (over) throw overQuota(over.limit, over);
    const isDone = await store.commit({
      expect: found.map(({ key, text }) => [key, text]),
      // After twice the window the quota is certainly full again, as if it had never been used.
      set: found.map(({ limit, key, bucket }) => [key, JSON.stringify(bucket), 2 * limit.windowSeconds]),
    });
    if (isDone) return found.map(({ remaining }) => remaining);
  }
  throw new CodedError("overloaded");
}
