"use client";

import { loadPart } from "../_ui/loading.tsx";
import { useLeftPayments } from "./ongoing-payments.ts";

const LeftPayments = loadPart(() => import("./left-payments.tsx").then((part) => part.LeftPayments));

/** Stands on every page, so that a payment stays in view when its window is closed or the reader goes on to another page. */
export function Till() {
  return useLeftPayments().length > 0 ? <LeftPayments /> : null;
}
