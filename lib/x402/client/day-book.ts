import { type Amount, amountToMillis, formatMillis } from "../amount.ts";
import { type BudgetStore, budgetUnavailable } from "./budget-store.ts";
import { PaymentError, type PaymentOffer } from "./payment-error.ts";

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const KEEP_SECONDS = (DAY_MINUTES + 1) * 60;
const MAX_TRIES = 20;

/** The amounts spent within 24 hours, by minute. An amount counts until its minute is a day old. */
type DayBook = {
  /** Returns the sum in 1/1000 HBD. */
  total(): Promise<number>;
  /** Adds an amount, and returns the minute under which it counts; null if that would exceed `limit`. */
  add(millis: number, limit: number): Promise<number | null>;
  /** Removes an amount from its minute, unless that is more than a day old. */
  takeBack(millis: number, minute: number): Promise<void>;
};

/** A clock in ms, possibly asynchronous. */
type Clock = () => number | Promise<number>;

/** Amounts spent, in 1/1000 HBD, by the number of their minute. */
type Minutes = Map<number, number>;

/**
 * Creates the day book `key` of a store, shared by all clients that share the store. `now` is a clock in ms
 * that they share. Errors of the store are rethrown, and an unreadable book is `budget_unavailable`.
 */
function createDayBook(store: BudgetStore, key: string, now: Clock): DayBook {
  const read = async () => {
    const thisMinute = Math.floor((await now()) / MINUTE_MS);
    const text = await store.get(key);
    return { text, thisMinute, minutes: parse(text, thisMinute - DAY_MINUTES) };
  };
  const sum = (minutes: Minutes) => [...minutes.values()].reduce((total, millis) => total + millis, 0);

  /** Changes the book atomically; `plan` returns false if there is nothing to change. */
  const change = async (plan: (minutes: Minutes, thisMinute: number) => boolean): Promise<number | null> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { text, thisMinute, minutes } = await read();
      if (!plan(minutes, thisMinute)) return null;
      const next = JSON.stringify([...minutes]);
      const written =
        text === null
          ? store.setIfAbsent(key, next, KEEP_SECONDS)
          : store.replace(key, text, next, KEEP_SECONDS);
      if (await written) return thisMinute;
    }
    throw budgetUnavailable(new Error("too many concurrent writers"));
  };

  return {
    total: async () => sum((await read()).minutes),
    add: (millis, limit) =>
      change((minutes, thisMinute) => {
        if (sum(minutes) + millis > limit) return false;
        minutes.set(thisMinute, (minutes.get(thisMinute) ?? 0) + millis);
        return true;
      }),
    async takeBack(millis, minute) {
      await change((minutes) => {
        const counted = minutes.get(minute);
        if (counted !== undefined) minutes.set(minute, counted - millis);
        return counted !== undefined;
      });
    },
  };
}

function parse(text: string | null, after: number): Minutes {
  try {
    const minutes = new Map(JSON.parse(text ?? "[]") as Array<[number, number]>);
    for (const [minute, millis] of minutes) {
      if (!Number.isInteger(minute) || !Number.isInteger(millis)) throw new TypeError("not a day book");
      if (minute < after) minutes.delete(minute);
    }
    return minutes;
  } catch (cause) {
    throw budgetUnavailable(cause);
  }
}

/** The limit on all spending together. Signed payments count as spent. */
export type Budget = {
  /**
   * Limit per host since this client was created; counting begins anew after a restart, even with a `store`.
   */
  perHost?: Amount;
  /** Limit for all hosts together within 24 hours, to the minute. */
  perDay?: Amount;
  /**
   * Stores the amounts that count towards `perDay` and the payments under way, across restarts and for every
   * client of the account that shares the store. Anyone who can read the store can use those payments. The
   * store must respect `ttlSeconds`. The default is the memory of this client.
   */
  store?: BudgetStore;
};

/** The spent amounts, such as "0.050 HBD". */
export type Spent = {
  /** Spent on all hosts within the last 24 hours, which `perDay` limits. */
  lastDay: string;
  /** Spent per host ("shop.example") since this client was created, which `perHost` limits. */
  byHost: Record<string, string>;
};

/**
 * The places where an amount counts as spent: a minute of the day book, and the client that counts it per
 * host.
 */
export type Counted = { minute: number; client: string };

/** An amount that counts as spent; `release` removes it. */
type Reservation = { counted: Counted; release(): Promise<void> };

export type Spending = {
  /**
   * Returns how much can still be spent on a host, in 1/1000 HBD. @throws PaymentError `budget_unavailable`,
   * and the errors of the clock
   */
  left(host: string): Promise<number>;
  /**
   * Returns the amount that can still be spent on a host, as text such as "0.050 HBD", or `undefined` without
   * a budget. @throws as `left` does
   */
  leftText(host: string): Promise<string | undefined>;
  /** Creates the error for a payment that does not fit into the budget. @throws as `left` does */
  overBudget(host: string, offer?: PaymentOffer): Promise<PaymentError>;
  /**
   * Counts an amount at once, so that concurrent requests cannot spend it twice.
   * @throws PaymentError `over_budget`, `budget_unavailable`, and the errors of the clock
   */
  reserve(host: string, millis: number, offer?: PaymentOffer): Promise<Reservation>;
  /** Removes the amount of a payment that cannot be charged. @throws as `left` does */
  takeBack(host: string, millis: number, counted: Counted): Promise<void>;
  /** @throws PaymentError `budget_unavailable`, and the errors of the clock */
  spent(): Promise<Spent>;
};

/**
 * Creates the account of a client's spending, in `store`. Signed payments count as spent, because a server
 * that has one can use it. `now` is a clock in ms that no one can set, and that continues across restarts if
 * there is a store.
 * @throws RangeError for a budget that is not an amount of HBD
 */
export function createSpending(
  budget: Omit<Budget, "store">,
  store: BudgetStore,
  account: string,
  now: Clock = () => performance.now(),
): Spending {
  const perHost = budget.perHost === undefined ? Number.POSITIVE_INFINITY : amountToMillis(budget.perHost);
  const perDay = budget.perDay === undefined ? Number.POSITIVE_INFINITY : amountToMillis(budget.perDay);
  const byHost = new Map<string, number>();
  const day = createDayBook(store, `x402:spent:${account}`, now);
  const leftOn = (host: string) => perHost - (byHost.get(host) ?? 0);
  const count = (host: string, millis: number) => void byHost.set(host, (byHost.get(host) ?? 0) + millis);
  const client = crypto.randomUUID();
  const overBudget = async (host: string, offer?: PaymentOffer) => {
    const parts = [
      { limit: perHost, left: leftOn(host) },
      { limit: perDay, left: perDay - (await day.total()) },
    ].sort((one, other) => one.left - other.left);
    const [{ limit, left }] = parts as [{ limit: number; left: number }];
    return new PaymentError("over_budget", "The payment exceeds the budget.", {
      offer,
      limit: formatMillis(limit),
      left: formatMillis(Math.max(left, 0)),
    });
  };

  const takeBack = async (host: string, millis: number, counted: Counted) => {
    if (counted.client === client) count(host, -millis);
    await day.takeBack(millis, counted.minute);
  };

  const left = async (host: string) => Math.min(leftOn(host), perDay - (await day.total()));

  return {
    left,
    async leftText(host) {
      if (perHost === Number.POSITIVE_INFINITY && perDay === Number.POSITIVE_INFINITY) return undefined;
      return formatMillis(Math.max(await left(host), 0));
    },
    overBudget,
    async reserve(host, millis, offer) {
      if (millis > leftOn(host)) throw await overBudget(host, offer);
      count(host, millis);
      let minute: number | null = null;
      try {
        minute = await day.add(millis, perDay);
      } finally {
        if (minute === null) count(host, -millis);
      }
      if (minute === null) throw await overBudget(host, offer);
      const counted = { minute, client };
      return { counted, release: () => takeBack(host, millis, counted) };
    },
    takeBack,
    async spent() {
      const hosts = [...byHost].filter(([, millis]) => millis > 0);
      return {
        lastDay: formatMillis(await day.total()),
        byHost: Object.fromEntries(hosts.map(([host, millis]) => [host, formatMillis(millis)])),
      };
    },
  };
}
