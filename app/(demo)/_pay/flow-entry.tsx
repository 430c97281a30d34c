import type { FlowStep } from "../_wire/flow-step.ts";
import { StepHeaders } from "../_wire/step-headers.tsx";
import { StepSummary } from "../_wire/step-summary.tsx";

/** One step of a payment: method, address, answer, time, and its headers. */
export function FlowEntry({ step, number }: { step: FlowStep; number: number }) {
  return (
    <li className="rounded-xl border border-line bg-raised p-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <span className="text-ink-faint">{number}</span>
        <StepSummary step={step} />
      </div>
      <p className="mt-1 font-mono text-xs break-all text-ink-soft">{step.url}</p>
      <StepHeaders headers={step.headers} />
    </li>
  );
}
