import {
  addMils,
  formatMils,
  isMils,
  leastMils,
  type Mils,
  NO_MILS,
  subtractMils,
  UNLIMITED,
} from "../../mils.ts";
import { type BudgetStore, budgetUnavailable } from "./budget-store.ts";
import { PaymentError, type PaymentOffer } from "./payment-error.ts";

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const KEEP_SECONDS = (DAY_MINUTES + 1) * 60;
const MAX_TRIES = 20;

/** The amounts spent within 24 hours, by minute. An amount counts until its minute is a day old. */
type DayBook = {
  total(): Promise<Mils>;
  /** Adds an amount, and returns the minute under which it counts; null if that would exceed `limit`. */
  add(mils: Mils, limit: Mils): Promise<number | null>;
  /** Removes an amount from its minute, unless that is more than a day old. */
  takeBack(mils: Mils, minute: number): Promise<void>;
};

/** A clock in ms, possibly asynchronous. */
type Clock = () => number | Promise<number>;

/** Amounts spent, by the number of their minute. */
type Minutes = Map<number, Mils>;

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
  const sum = (minutes: Minutes) => addMils(...minutes.values());

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
    add: (mils, limit) =>
      change((minutes, thisMinute) => {
        if (addMils(sum(minutes), mils) > limit) return false;
        minutes.set(thisMinute, addMils(minutes.get(thisMinute) ?? NO_MILS, mils));
        return true;
      }),
    async takeBack(mils, minute) {
      await change((minutes) => {
        const counted = minutes.get(minute);
        if (counted !== undefined) minutes.set(minute, subtractMils(counted, mils));
        return counted !== undefined;
      });
    },
  };
}

function parse(text: string | null, after: number): Minutes {
  try {
    const minutes = new Map(JSON.parse(text ?? "[]") as Array<[number, Mils]>);
    for (const [minute, mils] of minutes) {
      if (!Number.isInteger(minute) || !isMils(mils)) throw new TypeError("not a day book");
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
  perHost?: string;
  /** Limit for all hosts together within 24 hours, to the minute. */
  perDay?: string;
  /**
   * Stores the amounts that count towards `perDay` and the payments under way, across restarts and for every
   * client of the account that shares the store. Anyone who can read the store can use those payments. The
   * store must respect `ttlSeconds`. The default is the memory of this client.
   */
  store?: BudgetStore;
};

/** The limits of a budget. */
export type BudgetLimits = { perHost: Mils; perDay: Mils };

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
   * Returns how much can still be spent on a host. @throws PaymentError `budget_unavailable`, and the errors
   * of the clock
   */
  left(host: string): Promise<Mils>;
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
  reserve(host: string, mils: Mils, offer?: PaymentOffer): Promise<Reservation>;
  /** Removes the amount of a payment that cannot be charged. @throws as `left` does */
  takeBack(host: string, mils: Mils, counted: Counted): Promise<void>;
  /** @throws PaymentError `budget_unavailable`, and the errors of the clock */
  spent(): Promise<Spent>;
};

/**
 * Creates the account of a client's spending, in `store`. Signed payments count as spent, because a server
 * that has one can use it. `now` is a clock in ms that no one can set, and that continues across restarts if
 * there is a store.
 */
export function createSpending(
  { perHost, perDay }: BudgetLimits,
  store: BudgetStore,
  account: string,
  now: Clock = () => performance.now(),
): Spending {
  const byHost = new Map<string, Mils>();
  const day = createDayBook(store, `x402:spent:${account}`, now);
  const spentOn = (host: string) => byHost.get(host) ?? NO_MILS;
  const leftOn = (host: string) => subtractMils(perHost, spentOn(host));
  const leftToday = async () => subtractMils(perDay, await day.total());
  const count = (host: string, mils: Mils) => void byHost.set(host, addMils(spentOn(host), mils));
  const uncount = (host: string, mils: Mils) => void byHost.set(host, subtractMils(spentOn(host), mils));
  const client = crypto.randomUUID();
  const overBudget = async (host: string, offer?: PaymentOffer) => {
    const parts = [
      { limit: perHost, left: leftOn(host) },
      { limit: perDay, left: await leftToday() },
    ].sort((one, other) => one.left - other.left);
    const [{ limit, left }] = parts as [{ limit: Mils; left: Mils }];
    return new PaymentError("over_budget", "The payment exceeds the budget.", {
      offer,
      limit: formatMils(limit),
      left: formatMils(left),
    });
  };

  const takeBack = async (host: string, mils: Mils, counted: Counted) => {
    if (counted.client === client) uncount(host, mils);
    await day.takeBack(mils, counted.minute);
  };

  const left = async (host: string) => leastMils(leftOn(host), await leftToday());

  return {
    left,
    async leftText(host) {
      if (perHost === UNLIMITED && perDay === UNLIMITED) return undefined;
      return formatMils(await left(host));
    },
    overBudget,
    async reserve(host, mils, offer) {
      if (mils > leftOn(host)) throw await overBudget(host, offer);
      count(host, mils);
      let minute: number | null = null;
      try {
        minute = await day.add(mils, perDay);
      } finally {
        if (minute === null) uncount(host, mils);
      }
      if (minute === null) throw await overBudget(host, offer);
      const counted = { minute, client };
      return { counted, release: () => takeBack(host, mils, counted) };
    },
    takeBack,
    async spent() {
      const hosts = [...byHost].filter(([, mils]) => mils > 0);
      return {
        lastDay: formatMils(await day.total()),
        byHost: Object.fromEntries(hosts.map(([host, mils]) => [host, formatMils(mils)])),
      };
    },
  };
}
