import { readResourceCredits } from "../../hive/accounts.ts";
import type { ChainReader } from "../../hive/chain-state.ts";
import type { HiveClient } from "../../hive/client.ts";
import { startDeadline } from "./deadline.ts";

/** Less than any transfer costs. What one costs just now only the chain knows, so it decides about more than this. */
const LEAST_CREDITS = 1_000_000;
const MAX_REMEMBERED = 1000;
const REMEMBERED_MS = 3000;
const TIMEOUT_MS = 1000;
const SILENCE_MS = 60_000;

/** Returns whether an account certainly has too few resource credits for a transfer; never rejects. */
export type CheckResources = (account: string, headTimeMs: number) => Promise<boolean>;

/** Makes the check; `now` is a monotonic clock in ms. It is advice: nodes that do not tell are not asked for a minute, and then nobody is refused. */
export function createResourceCheck(
  client: HiveClient,
  now: () => number = () => performance.now(),
): CheckResources {
  const answers = new Map<string, { isExhausted: Promise<boolean>; askedAtMs: number }>();
  let silentUntilMs = Number.NEGATIVE_INFINITY;

  const ask = async (account: string, headTimeMs: number): Promise<boolean> => {
    const { signal, end } = startDeadline(TIMEOUT_MS);
    const isTooFew = async (chain: ChainReader) => {
      const credits = await readResourceCredits(chain, account, headTimeMs, { signal });
      return credits !== null && credits < LEAST_CREDITS;
    };
    try {
      // One node alone keeps nobody from paying.
      const [isExhausted] = await client.agree(isTooFew, { needsSecond: (isSo) => isSo, signal });
      return isExhausted;
    } catch {
      // Not served, or not answered in time.
      silentUntilMs = now() + SILENCE_MS;
      return false;
    } finally {
      end();
    }
  };

  return async (account, headTimeMs) => {
    const known = answers.get(account);
    if (known && now() - known.askedAtMs < REMEMBERED_MS) return known.isExhausted;
    if (now() < silentUntilMs) return false;
    answers.delete(account);
    const oldest = answers.size >= MAX_REMEMBERED ? answers.keys().next().value : undefined;
    if (oldest !== undefined) answers.delete(oldest);
    const isExhausted = ask(account, headTimeMs);
    answers.set(account, { isExhausted, askedAtMs: now() });
    return isExhausted;
  };
}
