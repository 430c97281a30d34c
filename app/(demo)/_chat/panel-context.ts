"use client";

import { createContext, useContext } from "react";

export type Panel = "finder" | "search" | "threads" | "help" | "wire" | null;

export const PanelContext = createContext<{ panel: Panel; open: (panel: Panel) => void }>({
  panel: null,
  open: () => undefined,
});

/** Which of the shell's panels is open, and the way to open another. */
export function usePanel() {
  return useContext(PanelContext);
}
