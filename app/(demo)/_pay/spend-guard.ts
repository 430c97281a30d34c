"use client";

import { useSyncExternalStore } from "react";
import { createListeners } from "../_ui/external-store.ts";
import { keepTabText, readTabText } from "../_ui/kept-text.ts";

/** This tab's spending limits, in 1/1000 HBD. */
export type SpendGuard = { paymentMillis: number; sessionMillis: number; spentMillis: number };

export const usualGuard: SpendGuard = { paymentMillis: 100, sessionMillis: 1000, spentMillis: 0 };

/** Returns why a payment of this amount is refused, or null if it is within both limits. */
export function refusalOf(guard: SpendGuard, millis: number): "over_limit" | "over_budget" | null {
  if (millis > guard.paymentMillis) return "over_limit";
  return millis > remainingOf(guard) ? "over_budget" : null;
}

/** Returns the unspent part of the session's limit. */
export function remainingOf({ sessionMillis, spentMillis }: SpendGuard): number {
  return Math.max(0, sessionMillis - spentMillis);
}

/** Parses a stored guard, and returns the default for anything else. */
export function parseGuard(text: string | null): SpendGuard {
  try {
    const { paymentMillis, sessionMillis, spentMillis } = JSON.parse(text ?? "null") as SpendGuard;
    const isWhole = [paymentMillis, sessionMillis, spentMillis].every(
      (value) => Number.isInteger(value) && value >= 0,
    );
    return isWhole ? { paymentMillis, sessionMillis, spentMillis } : usualGuard;
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
  keepTabText(KEY, JSON.stringify(present));
  tell();
}

/** Returns the tab's guard and follows its changes. */
export function useSpendGuard(): SpendGuard {
  return useSyncExternalStore(subscribe, currentGuard, () => usualGuard);
}
