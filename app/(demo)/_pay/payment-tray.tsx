"use client";

import { usePathname } from "next/navigation";
import { loadPart } from "../_ui/load-part.tsx";
import { useHasBegun } from "./ongoing-payments.ts";

const LeftPayments = loadPart(() => import("./left-payments.tsx").then((part) => part.LeftPayments));
const Toasts = loadPart(() => import("../_ui/toast.tsx").then((part) => part.Toasts));

/**
 * The payments in progress, on every page: a payment stays in view when its dialog is closed or the reader
 * changes pages, and one that an earlier page sent is finished here. The tray renders once there was a
 * payment, together with the toasts, which the chat has anyway.
 */
export function PaymentTray() {
  const hasNews = useHasBegun();
  const isInChat = usePathname().startsWith("/chat");
  return (
    <>
      {hasNews && <LeftPayments />}
      {hasNews && !isInChat && <Toasts />}
    </>
  );
}
