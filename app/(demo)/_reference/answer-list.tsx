import { clsx } from "clsx";
import { type Answer, contentOf, typeOf } from "./document.ts";
import { Code, TypeText } from "./prose.tsx";
import { strings } from "./strings.en.ts";

/** What an operation may answer: each with its type, its codes and an example. */
export function AnswerList({ answers }: { answers: Record<string, Answer> }) {
  return (
    <section>
      <h4 className="mb-2 text-sm font-semibold">{strings.responses}</h4>
      <ul className="divide-y divide-line rounded-xl border border-line text-sm">
        {Object.entries(answers).map(([status, answer]) => {
          const { mediaType, schema, examples } = contentOf(answer.content);
          const isGood = Number(status) < 400;
          return (
            <li key={status} className="space-y-2 p-3">
              <p className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
                <span className={clsx("font-mono font-semibold", isGood ? "text-good" : "text-ink")}>
                  {status}
                </span>
                <span className="text-ink-soft">{answer.description}</span>
                <TypeText type={schema ? typeOf(schema) : mediaType} />
                {answer["x-codes"]?.map((code) => (
                  <a
                    key={code}
                    href={`#error-${code}`}
                    className="font-mono text-xs text-accent-text underline"
                  >
                    {code}
                  </a>
                ))}
              </p>
              {examples.slice(0, 1).map(({ name, value }) => (
                <details key={name} open={isGood}>
                  <summary className="text-xs text-ink-soft pointer-coarse:py-2.5">
                    {strings.exampleOf(name)}
                  </summary>
                  <div className="mt-2">
                    <Code text={JSON.stringify(value, null, 2)} />
                  </div>
                </details>
              ))}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
