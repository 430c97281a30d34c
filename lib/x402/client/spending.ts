import { toMillis } from "../amount.ts";
import {
  type BudgetStore,
  type Clock,
  createDayBook,
  createMemoryBudgetStore,
  guardBudgetStore,
} from "./day-book.ts";
import { PaymentError } from "./payment-error.ts";

/** Most HBD that may be spent in all. What was signed counts as spent. */
export type Budget = {
  /** On one host, from the making of this client on: a restart begins anew, also with a `store`. */
  perHost?: number;
  /** On all hosts within 24 hours, by the minute. */
  perDay?: number;
  /**
   * Keeps what `perDay` counts over a restart, and for every client of the account that shares it. By default this
   * client's memory.
   */
  store?: BudgetStore;
};

/** What was spent, in HBD. */
export type Spent = {
  /** On all hosts within the last 24 hours: what `perDay` limits. */
  lastDay: number;
  /** By host ("shop.example"), from the making of this client on: what `perHost` limits. */
  byHost: Record<string, number>;
};

export type Spending = {
  /** How much may still be spent on a host, in 1/1000 HBD. @throws PaymentError `budget_unavailable`, and what the clock throws */
  left(host: string): Promise<number>;
  /**
   * Counts an amount at once, so that requests at the same time can't spend it twice; `release` takes it back.
   * @throws PaymentError `over_budget`, `budget_unavailable`, and what the clock throws
   */
  reserve(host: string, millis: number): Promise<{ release(): Promise<void> }>;
  /** @throws PaymentError `budget_unavailable`, and what the clock throws */
  spent(): Promise<Spent>;
};

/**
 * Makes the account of what a client has spent. What was signed counts as spent: a server that has the payment may use it.
 * `now` is a clock in ms that nobody can set; one that outlives the process where a store does.
 * @throws RangeError for a budget that is no amount of HBD.
 */
export function createSpending(
  budget: Budget,
  account: string,
  now: Clock = () => performance.now(),
): Spending {
  const store = budget.store ? guardBudgetStore(budget.store) : createMemoryBudgetStore();
  const perHost = budget.perHost === undefined ? Number.POSITIVE_INFINITY : toMillis(budget.perHost);
  const perDay = budget.perDay === undefined ? Number.POSITIVE_INFINITY : toMillis(budget.perDay);
  const byHost = new Map<string, number>();
  const day = createDayBook(store, `x402:spent:${account}`, now);
  const leftOn = (host: string) => perHost - (byHost.get(host) ?? 0);
  const count = (host: string, millis: number) => void byHost.set(host, (byHost.get(host) ?? 0) + millis);

  return {
    left: async (host) => Math.min(leftOn(host), perDay - (await day.total())),
    async reserve(host, millis) {
      const refuse = () => new PaymentError("over_budget", "The payment does not fit the budget.");
      if (millis > leftOn(host)) throw refuse();
      count(host, millis);
      let minute: number | null = null;
      try {
        minute = await day.add(millis, perDay);
      } finally {
        if (minute === null) count(host, -millis);
      }
      if (minute === null) throw refuse();
      const countedIn = minute;
      return {
        async release() {
          count(host, -millis);
          await day.takeBack(millis, countedIn);
        },
      };
    },
    async spent() {
      const hosts = [...byHost].filter(([, millis]) => millis > 0);
      return {
        lastDay: (await day.total()) / 1000,
        byHost: Object.fromEntries(hosts.map(([host, millis]) => [host, millis / 1000])),
      };
    },
  };
}
