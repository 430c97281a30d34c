import { clsx } from "clsx";
import { Check } from "lucide-react";
import type { PayStep } from "./flow.ts";
import { strings } from "./strings.en.ts";

const order = ["ask", "sign", "settle", "done"] as const;

/** How far a payment is, as a list of its steps. */
export function PayProgress({ step }: { step: PayStep }) {
  const present = order.indexOf(step === "pending" ? "settle" : step);
  return (
    <div role="status">
      <ol className="space-y-3">
        {order.map((name, index) => (
          <li
            key={name}
            aria-current={index === present ? "step" : undefined}
            className={clsx("flex items-center gap-3 text-sm", index > present && "text-ink-faint")}
          >
            <span
              aria-hidden
              className={clsx(
                "flex size-6 shrink-0 items-center justify-center rounded-full border",
                index < present && "border-good bg-good-wash text-good",
                index === present && "border-accent-text",
                index > present && "border-line",
              )}
            >
              {index < present && <Check size={14} />}
              {index === present && (
                <span className="size-3 animate-spin rounded-full border-2 border-accent-text border-r-transparent" />
              )}
            </span>
            {strings.steps[name]}
          </li>
        ))}
      </ol>
      {step === "pending" && <p className="mt-4 text-sm text-accent-text">{strings.pending}</p>}
    </div>
  );
}
