import { clsx } from "clsx";
import {
  type Answer,
  contentOf,
  curlOf,
  detailsOf,
  type Entry,
  fieldsOf,
  type Schema,
  typeOf,
} from "./document.ts";
import { strings } from "./strings.en.ts";
import { Code, FieldTable, Prose, TypeText } from "./tables.tsx";

/** One operation: its purpose, parameters, answers, and how to call it. */
export function OperationCard({
  server,
  method,
  path,
  operation,
  schemas,
}: Entry & { server: string; schemas: Record<string, Schema> }) {
  const { parameters, requestBody, security, "x-rate-limits": limits } = operation;
  const body = requestBody && contentOf(requestBody.content).schema;
  const [scheme] = security.flatMap(Object.keys);
  const access = scheme === undefined ? "none" : scheme === "metrics" ? "metrics" : "pat";
  return (
    <article id={operation.operationId} className="scroll-mt-4 rounded-2xl border border-line bg-surface">
      <details>
        <summary className="list-none rounded-2xl p-4 hover:bg-raised sm:p-5 [&::-webkit-details-marker]:hidden">
          <h3 className="flex flex-wrap items-center gap-x-3 gap-y-1 font-normal">
            <span
              className={clsx(
                "rounded px-2 py-0.5 font-mono text-xs font-semibold",
                method === "get" ? "bg-good-wash text-good" : "bg-selected text-ink",
              )}
            >
              {method.toUpperCase()}
            </span>
            <span dir="ltr" className="min-w-0 font-mono text-sm font-medium break-all">
              {path}
            </span>
            <span className="text-xs text-ink-soft sm:ms-auto">{strings.access[access]}</span>
          </h3>
          <span lang="en" className="mt-1.5 block text-sm text-ink-soft">
            {operation.summary}
          </span>
        </summary>
        <div className="space-y-5 border-t border-line p-4 sm:p-5">
          <Prose text={operation.description} />
          {parameters.length > 0 && (
            <FieldTable
              title={strings.parameters}
              rows={parameters.map(({ name, in: kind, required, description, schema }) => ({
                name,
                kind,
                isRequired: required,
                type: typeOf(schema),
                details: detailsOf({ ...schema, ...(description !== undefined && { description }) }),
              }))}
            />
          )}
          {body && <FieldTable title={strings.body} rows={fieldsOf(body, schemas)} />}
          {limits && (
            <section>
              <h4 className="mb-2 text-sm font-semibold">{strings.limits}</h4>
              <ul className="space-y-1 text-sm text-ink-soft">
                {limits.map((quota) => (
                  <li key={quota}>{strings.limit(quota)}</li>
                ))}
              </ul>
            </section>
          )}
          <section>
            <h4 className="mb-2 text-sm font-semibold">{strings.tryIt}</h4>
            <Code text={curlOf(server, method, path, operation)} />
          </section>
          <AnswerList answers={operation.responses} />
        </div>
      </details>
    </article>
  );
}

/** The possible answers of an operation, each with its type, codes and an example. */
function AnswerList({ answers }: { answers: Record<string, Answer> }) {
  return (
    <section>
      <h4 className="mb-2 text-sm font-semibold">{strings.responses}</h4>
      <ul className="divide-y divide-line rounded-xl border border-line text-sm">
        {Object.entries(answers).map(([status, answer]) => {
          const { mediaType, schema, examples } = contentOf(answer.content);
          const isGood = Number(status) < 400;
          return (
            <li key={status} className="space-y-2 p-3">
              <p className="flex flex-wrap items-baseline gap-x-3 [&_a]:inline-block [&_a]:py-1">
                <span className={clsx("font-mono font-semibold", isGood ? "text-good" : "text-ink")}>
                  {status}
                </span>
                <span lang="en" className="text-ink-soft">
                  {answer.description}
                </span>
                <TypeText type={schema ? typeOf(schema) : mediaType} />
                {answer["x-codes"]?.map((code) => (
                  <a key={code} href={`#error-${code}`} className="font-mono text-xs text-link underline">
                    {code}
                  </a>
                ))}
              </p>
              {examples.slice(0, 1).map(({ name, value }) => (
                <details key={name} open={isGood}>
                  <summary className="text-xs text-ink-soft pointer-coarse:py-3">
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
