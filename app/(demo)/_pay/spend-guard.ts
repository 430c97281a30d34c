"use client";

import { useSyncExternalStore } from "react";
import { isMils, type Mils, NO_MILS, readMils, subtractMils } from "../../../lib/mils.ts";
import { createListeners } from "../_ui/external-store.ts";
import { keepTabText, readTabText } from "../_ui/kept-text.ts";

/** This tab's spending limits, and the amount that it has spent. */
export type SpendGuard = { paymentMils: Mils; tabMils: Mils; spentMils: Mils };

export const usualGuard: SpendGuard = {
  paymentMils: readMils("0.100 HBD"),
  tabMils: readMils("1.000 HBD"),
  spentMils: NO_MILS,
};

/** Returns why a payment of this amount is refused, or null if it is within both limits. */
export function refusalOf(guard: SpendGuard, mils: Mils): "over_limit" | "over_budget" | null {
  if (mils > guard.paymentMils) return "over_limit";
  return mils > remainingOf(guard) ? "over_budget" : null;
}

/** Returns the unspent part of the tab's limit. */
export function remainingOf({ tabMils, spentMils }: SpendGuard): Mils {
  return subtractMils(tabMils, spentMils);
}

/** The stored form of a guard, with the names of the first version. */
type StoredGuard = Record<"paymentMillis" | "sessionMillis" | "spentMillis", unknown>;

function toStoredText({ paymentMils, tabMils, spentMils }: SpendGuard): string {
  const stored: StoredGuard = {
    paymentMillis: paymentMils,
    sessionMillis: tabMils,
    spentMillis: spentMils,
  };
  return JSON.stringify(stored);
}

/** Parses a stored guard, and returns the default for anything else. */
export function parseGuard(text: string | null): SpendGuard {
  try {
    const { paymentMillis, sessionMillis, spentMillis } = JSON.parse(text ?? "null") as StoredGuard;
    if (!isMils(paymentMillis) || !isMils(sessionMillis) || !isMils(spentMillis)) return usualGuard;
    return { paymentMils: paymentMillis, tabMils: sessionMillis, spentMils: spentMillis };
  } catch {
    return usualGuard;
  }
}

const KEY = "hivegate.spend-guard";

let present: SpendGuard | null = null;
const { subscribe, tell } = createListeners();

/** Returns the current guard. */
export function currentGuard(): SpendGuard {
  present ??= parseGuard(readTabText(KEY));
  return present;
}

/** Changes the guard for the whole tab. */
export function changeGuard(change: (guard: SpendGuard) => SpendGuard): void {
  present = change(currentGuard());
  keepTabText(KEY, toStoredText(present));
  tell();
}

/** Returns the tab's guard and follows its changes. */
export function useSpendGuard(): SpendGuard {
  return useSyncExternalStore(subscribe, currentGuard, () => usualGuard);
}
