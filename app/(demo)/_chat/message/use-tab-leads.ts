"use client";

import { useEffect } from "react";
import { activeMessage } from "./active-message.ts";

/** Lets the Tab key say that the focus leads, and not a mouse that rests. */
export function useTabLeads(): void {
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === "Tab") activeMessage.leadByKey();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
