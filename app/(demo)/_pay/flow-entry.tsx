import { clsx } from "clsx";
import type { FlowStep } from "./flow.ts";
import { messages } from "./messages.en.ts";

/** One step of a payment: method, address, answer, time, and its headers. */
export function FlowEntry({ step, number }: { step: FlowStep; number: number }) {
  const isSign = step.kind === "sign";
  const outcome = isSign ? messages.flow.signed : (step.status ?? messages.flow.noAnswer);
  const isGood = isSign || (step.status !== null && step.status < 400);
  return (
    <li className="rounded-xl border border-line bg-raised p-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <span className="text-ink-faint">{number}</span>
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
      </div>
      <p className="mt-1 font-mono text-xs break-all text-ink-soft">{step.url}</p>
      <dl className="mt-2 space-y-1.5">
        {step.headers.map(([name, value]) => (
          <div key={name}>
            <dt className="font-mono text-xs font-medium">{name}</dt>
            <dd className="mt-0.5">
              <pre
                // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
                tabIndex={0}
                className="max-h-64 overflow-auto rounded-lg bg-sunken p-2 font-mono text-xs whitespace-pre-wrap break-all"
              >
                {typeof value === "string" ? value : JSON.stringify(value, null, 2)}
              </pre>
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}
