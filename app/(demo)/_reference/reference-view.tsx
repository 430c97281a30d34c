import { type ApiDocument, fieldsOf, groupOperations } from "./document.ts";
import { OperationCard } from "./operation-card.tsx";
import { strings } from "./strings.en.ts";
import { ErrorTable, FieldTable, Prose } from "./tables.tsx";

const chip =
  "rounded-full border border-line bg-surface px-3 py-1.5 text-sm hover:border-line-strong pointer-coarse:py-3";

/** All operations of the OpenAPI document, in groups, with the tokens, types and codes that they share. */
export function ReferenceView({ document }: { document: ApiDocument }) {
  const { components, paths, servers, tags } = document;
  const server = servers[0]?.url ?? "";
  const titles = new Map(tags.map((tag) => [tag.name, tag]));
  const groups = [...groupOperations(paths)].map(([name, entries]) => {
    const { "x-displayName": title = name, description = "" } = titles.get(name) ?? {};
    return { name, title, description, entries };
  });
  const contents = [
    ["tokens", strings.tokens],
    ...groups.map(({ name, title }) => [name, title] as const),
    ["schemas", strings.schemas],
    ["errors", strings.errors],
    ["payment-codes", strings.payments],
  ] as const;
  const types = Object.entries(components.schemas).map(([name, schema]) => ({
    name,
    rows: fieldsOf(schema, components.schemas),
  }));
  return (
    <>
      <nav aria-label={strings.contents} className="mt-6 flex flex-wrap gap-2">
        {contents.map(([id, title]) => (
          <a key={id} href={`#${id}`} lang={titles.has(id) ? "en" : undefined} className={chip}>
            {title}
          </a>
        ))}
      </nav>
      <section id="tokens" className="mt-10 scroll-mt-4">
        <h2 className="mb-4 text-lg font-semibold">{strings.tokens}</h2>
        <dl className="divide-y divide-line rounded-2xl border border-line bg-surface">
          {Object.entries(components.securitySchemes).map(([name, { description }]) => (
            <div key={name} className="grid gap-x-4 gap-y-1 p-4 sm:grid-cols-[12rem_1fr]">
              <dt className="text-sm font-medium">{strings.schemes[name] ?? name}</dt>
              <dd>
                <Prose text={description} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
      {groups.map(({ name, title, description, entries }) => (
        <section key={name} id={name} className="mt-10 scroll-mt-4">
          <h2 lang="en" className="text-lg font-semibold">
            {title}
          </h2>
          <Prose text={description} className="mt-1 mb-4" />
          <div className="space-y-3">
            {entries.map((entry) => (
              <OperationCard
                key={entry.operation.operationId}
                server={server}
                schemas={components.schemas}
                {...entry}
              />
            ))}
          </div>
        </section>
      ))}
      <section id="schemas" className="mt-10 scroll-mt-4">
        <h2 className="mb-4 text-lg font-semibold">{strings.schemas}</h2>
        <div className="space-y-3">
          {types.map(({ name, rows }) => (
            <article
              key={name}
              id={`schema-${name}`}
              className="scroll-mt-4 rounded-2xl border border-line bg-surface target:border-line-strong"
            >
              <details>
                <summary
                  translate="no"
                  className="rounded-2xl px-4 py-3 font-mono text-sm font-medium hover:bg-raised"
                >
                  {name}
                </summary>
                <div className="border-t border-line p-4">
                  <FieldTable rows={rows} />
                </div>
              </details>
            </article>
          ))}
        </div>
      </section>
      <ErrorTable
        id="errors"
        title={strings.errors}
        lead={strings.errorsText}
        codes={document["x-error-codes"]}
      />
      <ErrorTable
        id="payment-codes"
        title={strings.payments}
        lead={strings.paymentsText}
        codes={document["x-payment-codes"]}
      />
      <ErrorTable
        id="payment-error-codes"
        title={strings.clientErrors}
        lead={strings.clientErrorsText}
        codes={document["x-payment-error-codes"]}
      />
    </>
  );
}
