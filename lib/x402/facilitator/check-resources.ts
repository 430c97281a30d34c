import type { HiveClient } from "../../hive/client.ts";
import { readResourceCredits } from "../../hive/resource-credits.ts";

/** Less than any transfer costs. What one costs just now only the chain knows, so it decides about more than this. */
const LEAST_CREDITS = 1_000_000;
const MAX_REMEMBERED = 1000;
const REMEMBERED_MS = 3000;
const TIMEOUT_MS = 1000;
const SILENCE_MS = 60_000;

/** Tells whether an account certainly has too few resource credits for a transfer; never rejects. */
export type CheckResources = (account: string, headTimeMs: number) => Promise<boolean>;

/** Makes the check. It is advice: nodes that do not tell are not asked for a minute, and then nobody is refused. */
export function createResourceCheck(client: HiveClient): CheckResources {
  const answers = new Map<string, { isExhausted: Promise<boolean>; askedAtMs: number }>();
  let silentUntilMs = 0;

  const ask = async (account: string, headTimeMs: number): Promise<boolean> => {
    const { signal, end } = limitOf(TIMEOUT_MS);
    try {
      const credits = await readResourceCredits(client, account, headTimeMs, { signal });
      return credits !== null && credits < LEAST_CREDITS;
    } catch {
      // Not served, or not answered in time.
      silentUntilMs = Date.now() + SILENCE_MS;
      return false;
    } finally {
      end();
    }
  };

  return async (account, headTimeMs) => {
    const known = answers.get(account);
    if (known && Date.now() - known.askedAtMs < REMEMBERED_MS) return known.isExhausted;
    if (Date.now() < silentUntilMs) return false;
    answers.delete(account);
    const oldest = answers.size >= MAX_REMEMBERED ? answers.keys().next().value : undefined;
    if (oldest !== undefined) answers.delete(oldest);
    const isExhausted = ask(account, headTimeMs);
    answers.set(account, { isExhausted, askedAtMs: Date.now() });
    return isExhausted;
  };
}

/** Not `AbortSignal.timeout`, which tells of a slow node: advice that comes late is no reason to avoid one. */
function limitOf(ms: number): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}
