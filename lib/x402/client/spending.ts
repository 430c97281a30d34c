import { toMillis } from "../amount.ts";
import { PaymentError } from "./payment-error.ts";

const DAY_MS = 24 * 3_600_000;

/** Most HBD that may be spent in all. */
export type Budget = {
  /** On one host, as long as the client lives. */
  perHost?: number;
  /** On all hosts within 24 hours. */
  perDay?: number;
};

export type Spending = {
  /** Whether this much more is within the budget. */
  allows(host: string, millis: number): boolean;
  /**
   * Counts an amount at once, so that requests at the same time can't spend it twice; `release` takes it back.
   * @throws PaymentError `over_budget`
   */
  reserve(host: string, millis: number): { release(): void };
};

/**
 * Makes the account of what a client has spent. What was signed counts as spent: a server that has the payment may use it.
 * @throws RangeError for a budget that is no amount of HBD.
 */
export function createSpending(budget: Budget, now: () => number = () => performance.now()): Spending {
  const perHost = budget.perHost === undefined ? undefined : toMillis(budget.perHost);
  const perDay = budget.perDay === undefined ? undefined : toMillis(budget.perDay);
  const byHost = new Map<string, number>();
  let recent: Array<{ atMs: number; millis: number }> = [];

  const spentToday = () => {
    const since = now() - DAY_MS;
    recent = recent.filter(({ atMs }) => atMs > since);
    return recent.reduce((sum, { millis }) => sum + millis, 0);
  };

  const allows = (host: string, millis: number) =>
    (perHost === undefined || (byHost.get(host) ?? 0) + millis <= perHost) &&
    (perDay === undefined || spentToday() + millis <= perDay);

  return {
    allows,
    reserve(host, millis) {
      if (!allows(host, millis))
        throw new PaymentError("over_budget", "The payment does not fit the budget.");
      const entry = { atMs: now(), millis };
      if (perHost !== undefined) byHost.set(host, (byHost.get(host) ?? 0) + millis);
      if (perDay !== undefined) recent.push(entry);
      return {
        release() {
          if (perHost !== undefined) byHost.set(host, (byHost.get(host) ?? 0) - millis);
          recent = recent.filter((other) => other !== entry);
        },
      };
    },
  };
}
