"use client";

import { useSyncExternalStore } from "react";
import { parseGuard, type SpendGuard, usualGuard } from "./spend-guard.ts";
import { readTab, writeTab } from "./tab-storage.ts";

const KEY = "hivegate.spend-guard";
let present: SpendGuard | null = null;
const listeners = new Set<() => void>();

/** The guard as it stands now. */
export function currentGuard(): SpendGuard {
  present ??= parseGuard(readTab(KEY));
  return present;
}

/** Changes the guard for the whole tab. */
export function changeGuard(change: (guard: SpendGuard) => SpendGuard): void {
  present = change(currentGuard());
  writeTab(KEY, JSON.stringify(present));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The tab's guard, wherever it is shown. */
export function useSpendGuard(): SpendGuard {
  return useSyncExternalStore(subscribe, currentGuard, () => usualGuard);
}
