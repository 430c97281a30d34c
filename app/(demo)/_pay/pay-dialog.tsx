"use client";

import { Dialog } from "../_ui/dialog.tsx";
import type { Paid, Subject } from "./ongoing-payments.ts";
import { PayPanel } from "./pay-panel.tsx";
import type { Target } from "./target.ts";

/** The dialog for a payment. */
export function PayDialog({
  subject,
  target,
  amount,
  onClose,
  onPaid,
}: {
  subject: Subject;
  target: Target;
  amount: string;
  onClose: () => void;
  onPaid: (paid: Paid) => void;
}) {
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={subject.title}
      className="scroll-pb-24"
    >
      <PayPanel target={target} subject={subject} amount={amount} onPaid={onPaid} />
    </Dialog>
  );
}
