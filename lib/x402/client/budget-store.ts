import { answerWithin } from "../../async/time-limits.ts";
import type { Store } from "../../store/store.ts";
import { PaymentError } from "./payment-error.ts";

const TIMEOUT_MS = 5000;

/** The part of a store that a daily budget and the payments under way need. */
export type BudgetStore = Pick<Store, "get" | "setIfAbsent" | "replace">;

/** Adds a deadline to each call of the store, and turns every failure into PaymentError `budget_unavailable`. */
export function guardBudgetStore(store: BudgetStore): BudgetStore {
  const guard = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await answerWithin(TIMEOUT_MS, call);
    } catch (cause) {
      throw budgetUnavailable(cause);
    }
  };
  return {
    get: (key) => guard(() => store.get(key)),
    setIfAbsent: (...given) => guard(() => store.setIfAbsent(...given)),
    replace: (...given) => guard(() => store.replace(...given)),
  };
}

export const budgetUnavailable = (cause: unknown) =>
  new PaymentError("budget_unavailable", "The record of spent amounts can't be read or written.", { cause });
