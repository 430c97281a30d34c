"use client";

import { ShieldCheck } from "lucide-react";
import { type FormEvent, useState } from "react";
import { NO_MILS } from "../../../lib/mils.ts";
import { Button } from "../_ui/button.tsx";
import { TextField } from "../_ui/text-field.tsx";
import { readTyped, writeAmount } from "./amounts.ts";
import { changeGuard, remainingOf, useSpendGuard } from "./spend-guard.ts";
import { strings } from "./strings.en.ts";

/** The limits of this tab, always in view, and the form that changes them. */
export function SpendLimits() {
  const guard = useSpendGuard();
  const [isMalformed, setIsMalformed] = useState(false);
  const { paymentMils, tabMils } = guard;

  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [payment, tab] = ["payment", "tab"].map((name) => readTyped(String(form.get(name))));
    setIsMalformed(payment == null || tab == null);
    if (payment != null && tab != null)
      changeGuard((present) => ({ ...present, paymentMils: payment, tabMils: tab }));
  };

  const error = isMalformed ? strings.guard.malformed : undefined;
  return (
    <div className="text-xs text-ink-soft">
      <p className="flex items-start gap-2">
        <ShieldCheck aria-hidden size={14} className="mt-px shrink-0 text-good" />
        {strings.guard.line(writeAmount(paymentMils), writeAmount(remainingOf(guard)), writeAmount(tabMils))}
      </p>
      <details className="mt-1 ps-[1.375rem]">
        <summary className="font-medium text-link pointer-coarse:py-3">{strings.guard.change}</summary>
        <form key={`${paymentMils} ${tabMils}`} onSubmit={save} className="mt-3 grid gap-3 sm:grid-cols-2">
          <TextField
            name="payment"
            label={strings.guard.perPayment}
            defaultValue={writeAmount(paymentMils)}
            inputMode="decimal"
            error={error}
          />
          <TextField
            name="tab"
            label={strings.guard.perTab}
            defaultValue={writeAmount(tabMils)}
            inputMode="decimal"
            error={error}
          />
          <div className="flex flex-wrap gap-2 sm:col-span-2">
            <Button type="submit" size="small">
              {strings.guard.save}
            </Button>
            <Button
              size="small"
              tone="plain"
              onClick={() => changeGuard((present) => ({ ...present, spentMils: NO_MILS }))}
            >
              {strings.guard.reset}
            </Button>
          </div>
        </form>
      </details>
    </div>
  );
}
