"use client";

import { Activity, X } from "lucide-react";
import { Dialog } from "radix-ui";
import { Button } from "../_ui/button.tsx";
import { IconButton } from "../_ui/icon-button.tsx";
import { strings as shared } from "../_ui/strings.en.ts";
import type { FlowStep } from "../_wire/flow-step.ts";
import { StepHeaders, StepSummary } from "../_wire/flow-step-view.tsx";
import { strings } from "./strings.en.ts";

/** A button that opens the drawer with every HTTP step of a payment. */
export function FlowInspector({ steps, className }: { steps: readonly FlowStep[]; className?: string }) {
  return (
    <Dialog.Root>
      <Dialog.Trigger asChild>
        <Button size="small" tone="plain" className={className}>
          <Activity aria-hidden size={15} />
          {strings.flow.open}
        </Button>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-50 bg-black/45" />
        <Dialog.Content className="fixed inset-y-0 end-0 z-60 w-full max-w-lg overflow-y-auto border-s border-line bg-surface p-5 shadow-lift">
          <div className="flex items-start justify-between gap-4">
            <Dialog.Title className="text-lg font-semibold">{strings.flow.title}</Dialog.Title>
            <Dialog.Close asChild>
              <IconButton label={shared.close} className="-mt-1.5 -me-1.5">
                <X aria-hidden size={18} />
              </IconButton>
            </Dialog.Close>
          </div>
          <Dialog.Description className="mt-1 text-sm text-ink-soft">{strings.flow.text}</Dialog.Description>
          {steps.length === 0 ? (
            <p className="mt-6 rounded-xl border border-dashed border-line p-6 text-center text-sm text-ink-soft">
              {strings.flow.empty}
            </p>
          ) : (
            <>
              <ol className="mt-5 space-y-3">
                {steps.map((step, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added
                  <FlowEntry key={index} step={step} number={index + 1} />
                ))}
              </ol>
              <p className="mt-4 text-xs text-ink-soft">{strings.flow.server}</p>
            </>
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** One step of a payment: method, address, answer, time and headers. */
function FlowEntry({ step, number }: { step: FlowStep; number: number }) {
  return (
    <li className="rounded-xl border border-line bg-raised p-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <span className="text-ink-faint">{number}</span>
        <StepSummary step={step} />
      </div>
      <p dir="ltr" className="mt-1 font-mono text-xs break-all text-ink-soft">
        {step.url}
      </p>
      <StepHeaders headers={step.headers} />
    </li>
  );
}
