import { clsx } from "clsx";
import { contentOf, curlOf, detailsOf, type Operation, type Schema, typeOf } from "./document.ts";
import { strings } from "./strings.en.ts";
import { FieldTable } from "./tables.tsx";

/** One operation: what it does, what it takes, what it answers, and how to call it. */
export function OperationCard({
  server,
  method,
  path,
  operation,
  schemas,
}: {
  server: string;
  method: string;
  path: string;
  operation: Operation;
  schemas: Record<string, Schema>;
}) {
  const isOpen = operation.security.length === 0;
  const body = operation.requestBody && contentOf(operation.requestBody.content).schema;
  return (
    <article id={operation.operationId} className="scroll-mt-4 rounded-2xl border border-line bg-surface">
      <details className="group">
        <summary className="list-none p-4 sm:p-5 [&::-webkit-details-marker]:hidden">
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span
              className={clsx(
                "rounded px-2 py-0.5 font-mono text-xs font-semibold",
                method === "get" ? "bg-good-wash text-good" : "bg-accent-wash text-accent-text",
              )}
            >
              {method.toUpperCase()}
            </span>
            <span className="min-w-0 font-mono text-sm font-medium break-all">{path}</span>
            <span className="text-xs text-ink-soft sm:ml-auto">{isOpen ? strings.open : strings.token}</span>
          </span>
          <span className="mt-1.5 block text-sm text-ink-soft">{operation.summary}</span>
        </summary>
        <div className="space-y-5 border-t border-line p-4 sm:p-5">
          {operation.parameters.length > 0 && (
            <FieldTable
              title={strings.parameters}
              rows={operation.parameters.map((parameter) => ({
                name: parameter.name,
                kind: `${parameter.in}, ${parameter.required ? strings.required : strings.optional}`,
                type: typeOf(parameter.schema),
                details: detailsOf(parameter.schema),
              }))}
            />
          )}
          {body && <FieldTable title={strings.body} rows={fieldsOf(body, schemas)} />}
          <section>
            <h4 className="mb-2 text-sm font-semibold">{strings.responses}</h4>
            <ul className="space-y-1 text-sm">
              {Object.entries(operation.responses).map(([status, { description, content }]) => {
                const { mediaType, schema } = contentOf(content);
                return (
                  <li key={status} className="flex flex-wrap gap-x-3">
                    <span className="w-9 font-mono font-medium">{status}</span>
                    <span className="text-ink-soft">{description}</span>
                    <span className="font-mono text-xs leading-5">{schema ? typeOf(schema) : mediaType}</span>
                  </li>
                );
              })}
            </ul>
          </section>
          <section>
            <h4 className="mb-2 text-sm font-semibold">{strings.example}</h4>
            <pre
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
              tabIndex={0}
              className="overflow-x-auto rounded-xl bg-sunken p-3 font-mono text-xs leading-5"
            >
              {curlOf(server, method, path, operation)}
            </pre>
          </section>
        </div>
      </details>
    </article>
  );
}

function fieldsOf(schema: Schema, schemas: Record<string, Schema>) {
  const named = schema.$ref ? schemas[typeOf(schema)] : schema;
  const required = new Set(named?.required);
  return Object.entries(named?.properties ?? {}).map(([name, field]) => ({
    name,
    kind: required.has(name) ? strings.required : strings.optional,
    type: typeOf(field),
    details: detailsOf(field),
  }));
}
