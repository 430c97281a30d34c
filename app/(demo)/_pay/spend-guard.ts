"use client";

import { useSyncExternalStore } from "react";
import { createListeners } from "../_ui/external-store.ts";

/** What this tab may spend, in 1/1000 HBD. */
export type SpendGuard = { paymentMillis: number; sessionMillis: number; spentMillis: number };

export const usualGuard: SpendGuard = { paymentMillis: 100, sessionMillis: 1000, spentMillis: 0 };

/** Why a payment of so much is refused, or null where it is within both limits. */
export function refusalOf(guard: SpendGuard, millis: number): "over_limit" | "over_budget" | null {
  if (millis > guard.paymentMillis) return "over_limit";
  return millis > remainingOf(guard) ? "over_budget" : null;
}

/** What is left of the session's total. */
export function remainingOf({ sessionMillis, spentMillis }: SpendGuard): number {
  return Math.max(0, sessionMillis - spentMillis);
}

/** Reads a kept guard; whatever is no guard gives the usual one. */
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

function readTab(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function writeTab(text: string): void {
  try {
    sessionStorage.setItem(KEY, text);
  } catch {
    // Private windows may refuse; the value lives on in the page.
  }
}

let present: SpendGuard | null = null;
const { subscribe, tell } = createListeners();

/** The guard as it stands now. */
export function currentGuard(): SpendGuard {
  present ??= parseGuard(readTab());
  return present;
}

/** Changes the guard for the whole tab. */
export function changeGuard(change: (guard: SpendGuard) => SpendGuard): void {
  present = change(currentGuard());
  writeTab(JSON.stringify(present));
  tell();
}

/** The tab's guard, wherever it is shown. */
export function useSpendGuard(): SpendGuard {
  return useSyncExternalStore(subscribe, currentGuard, () => usualGuard);
}
