"use client";

import { useSyncExternalStore } from "react";

const names = ["focus", "blur", "visibilitychange"];

function subscribe(listener: () => void) {
  for (const name of names) window.addEventListener(name, listener);
  return () => {
    for (const name of names) window.removeEventListener(name, listener);
  };
}

/** Whether the user is in this window. */
export function useWindowFocus(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => document.hasFocus(),
    () => true,
  );
}
