import { z } from "zod";
import { CodedError } from "../../errors.ts";
import { type Bucket, overQuota, type Quota, takeToken } from "../../http/rate-limit.ts";
import type { Store } from "../../store/store.ts";

const ATTEMPTS = 20;

const StoredBucket: z.ZodType<Bucket> = z.object({ tokens: z.number(), at: z.number() });

/** A quota, and whose part of it is meant. */
type Share = { limit: Quota; subject: string };

/**
 * Takes one request from each of the quotas, which the processes on a store share and a restart does not fill, or from none
 * where one has nothing left. Returns how many are left of each.
 * @throws CodedError `rate_limited`; `overloaded` while many others take from them
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
      // Full again after the window, as if it had never been used.
      set: found.map(({ limit, key, bucket }) => [key, JSON.stringify(bucket), 2 * limit.windowSeconds]),
    });
    if (isDone) return found.map(({ remaining }) => remaining);
  }
  throw new CodedError("overloaded");
}
