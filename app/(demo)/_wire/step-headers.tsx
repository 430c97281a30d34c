import { CodeBlock } from "./code-block.tsx";
import type { FlowStep } from "./flow-step.ts";

/** The headers of a step, decoded where they are coded. */
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
