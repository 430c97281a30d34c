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
          isGood ? "bg-good-wash text-good" : "bg-selected text-ink",
        )}
      >
        {outcome}
      </span>
      <span className="ms-auto text-xs text-ink-soft tabular-nums">{Math.round(step.ms)} ms</span>
    </>
  );
}

/** The headers of a step, decoded if they are encoded. */
export function StepHeaders({ headers }: { headers: FlowStep["headers"] }) {
  return (
    <dl className="mt-2 space-y-1.5">
      {headers.map(([name, value]) => (
        <div key={name}>
          <dt className="font-mono text-xs font-medium">{name}</dt>
          <dd className="mt-0.5">
            <CodeBlock text={typeof value === "string" ? value : JSON.stringify(value, null, 2)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Text as it was sent or received. */
export function CodeBlock({ text }: { text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
      dir="ltr"
      className="max-h-64 overflow-auto rounded-lg bg-sunken p-2 font-mono text-xs whitespace-pre-wrap break-all"
    >
      {text}
    </pre>
  );
}
