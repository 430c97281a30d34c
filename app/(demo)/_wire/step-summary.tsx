import { clsx } from "clsx";
import type { FlowStep } from "./flow-step.ts";
import { strings } from "./strings.en.ts";

/** Method, answer and duration of a step, in one line. */
export function StepSummary({ step }: { step: FlowStep }) {
  const isSign = step.kind === "sign";
  const outcome = isSign ? strings.signed : (step.status ?? strings.noAnswer);
  const isGood = isSign || (step.status !== null && step.status < 400);
  return (
    <>
      <span className="font-mono font-semibold">{step.method}</span>
      <span
        className={clsx(
          "rounded px-1.5 font-mono text-xs leading-5",
          isGood ? "bg-good-wash text-good" : "bg-accent-wash text-accent-text",
        )}
      >
        {outcome}
      </span>
      <span className="ml-auto text-xs text-ink-soft tabular-nums">{Math.round(step.ms)} ms</span>
    </>
  );
}
