import { type Amount, amountToMillis, formatMillis } from "../amount.ts";
import { type BudgetStore, budgetUnavailable } from "./budget-store.ts";
import { PaymentError, type PaymentOffer } from "./payment-error.ts";

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const KEEP_SECONDS = (DAY_MINUTES + 1) * 60;
const MAX_TRIES = 20;

/** What was spent within 24 hours, by the minute: an amount counts until its minute is a day ago. */
type DayBook = {
  /** The sum, in 1/1000 HBD. */
  total(): Promise<number>;
  /** Adds an amount, and returns the minute under which it counts; null where more than `limit` would be spent then. */
  add(millis: number, limit: number): Promise<number | null>;
  /** Takes an amount back from its minute, unless that was more than a day ago. */
  takeBack(millis: number, minute: number): Promise<void>;
};

/** A clock in ms; it may have to be asked for. */
type Clock = () => number | Promise<number>;

/** Spent thousandths by the number of their minute. */
type Minutes = Map<number, number>;

/**
 * Creates the day book `key` of a store, which every client that shares the store goes by. `now` is a clock in ms that
 * they have in common. What the store throws is handed on; a book that can't be read is `budget_unavailable`.
 */
function createDayBook(store: BudgetStore, key: string, now: Clock): DayBook {
  const read = async () => {
    const thisMinute = Math.floor((await now()) / MINUTE_MS);
    const text = await store.get(key);
    return { text, thisMinute, minutes: parse(text, thisMinute - DAY_MINUTES) };
  };
  const sum = (minutes: Minutes) => [...minutes.values()].reduce((total, millis) => total + millis, 0);

  /** Changes the book in one step; `plan` may say that there is nothing to be changed. */
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
    throw budgetUnavailable(new Error("too many others write"));
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

/** Maximum HBD that may be spent in total. What was signed counts as spent. */
export type Budget = {
  /** Limit for one host since this client was created: a restart begins at zero, even with a `store`. */
  perHost?: Amount;
  /** Limit for all hosts together within 24 hours, to the minute. */
  perDay?: Amount;
  /**
   * Keeps what `perDay` counts, and the payments on their way, over a restart and for every client of the account that
   * shares it; those payments can be used by whoever reads them. It has to heed `ttlSeconds`. By default this client's
   * memory.
   */
  store?: BudgetStore;
};

/** Sums of what was spent, such as "0.050 HBD". */
export type Spent = {
  /** Spent on all hosts within the last 24 hours: what `perDay` limits. */
  lastDay: string;
  /** Spent per host ("shop.example") since this client was created: what `perHost` limits. */
  byHost: Record<string, string>;
};

/** Where an amount counts as spent: in which minute of the day book, and in the account of which client. */
export type Counted = { minute: number; client: string };

/** An amount that counts as spent; `release` takes it back. */
type Reservation = { counted: Counted; release(): Promise<void> };

export type Spending = {
  /** How much may still be spent on a host, in 1/1000 HBD. @throws PaymentError `budget_unavailable`, and what the clock throws */
  left(host: string): Promise<number>;
  /** Creates the error of a payment that does not fit. @throws as `left` */
  overBudget(host: string, offer?: PaymentOffer): Promise<PaymentError>;
  /**
   * Counts an amount at once, so that requests at the same time can't spend it twice.
   * @throws PaymentError `over_budget`, `budget_unavailable`, and what the clock throws
   */
  reserve(host: string, millis: number, offer?: PaymentOffer): Promise<Reservation>;
  /** Takes back what was counted for a payment that can't be charged. @throws as `left` */
  takeBack(host: string, millis: number, counted: Counted): Promise<void>;
  /** @throws PaymentError `budget_unavailable`, and what the clock throws */
  spent(): Promise<Spent>;
};

/**
 * Creates the account of what a client has spent, in `store`. What was signed counts as spent: a server that has the payment may use it.
 * `now` is a clock in ms that nobody can set; one that outlives the process where a store does.
 * @throws RangeError for a budget that is no amount of HBD.
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
    return new PaymentError("over_budget", "The payment does not fit the budget.", {
      offer,
      limit: formatMillis(limit),
      left: formatMillis(Math.max(left, 0)),
    });
  };

  const takeBack = async (host: string, millis: number, counted: Counted) => {
    if (counted.client === client) count(host, -millis);
    await day.takeBack(millis, counted.minute);
  };

  return {
    left: async (host) => Math.min(leftOn(host), perDay - (await day.total())),
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
