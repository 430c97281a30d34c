"use client";

import { Dialog } from "../_ui/dialog.tsx";
import type { Target } from "./pay.ts";
import { PayPanel } from "./pay-panel.tsx";
import type { Paid } from "./use-payment.ts";

/** The window in which something is paid. */
export function PayDialog({
  title,
  target,
  amount,
  onClose,
  onPaid,
}: {
  title: string;
  target: Target;
  amount: string;
  onClose: () => void;
  onPaid: (paid: Paid) => void;
}) {
  return (
    <Dialog isOpen onOpenChange={(isOpen) => !isOpen && onClose()} title={title} className="scroll-pb-24">
      <PayPanel target={target} amount={amount} onPaid={onPaid} />
    </Dialog>
  );
}
