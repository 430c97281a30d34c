import Markdown from "react-markdown";
import { strings } from "./strings.en.ts";

/** All error codes with status and meaning. */
export function ErrorTable({
  id,
  title,
  lead,
  codes,
}: {
  id: string;
  title: string;
  lead: string;
  codes: ReadonlyArray<{ code: string; status?: number; text: string; remedy?: string }>;
}) {
  const { columns } = strings;
  return (
    <section id={id} className="mt-10 scroll-mt-4">
      <h2 className="text-lg font-semibold">{title}</h2>
      <p className="mt-2 mb-4 text-sm text-ink-soft">{lead}</p>
      <div className="overflow-hidden rounded-2xl border border-line bg-surface">
        <table className="w-full text-start text-sm">
          <thead className="text-xs text-ink-soft">
            <tr>
              {[columns.status, columns.code, columns.meaning].map((name) => (
                <th
                  key={name}
                  scope="col"
                  className={`px-3 py-2.5 font-medium ${name === columns.code ? "hidden sm:table-cell" : ""}`}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...codes]
              .sort((one, other) => (one.status ?? 0) - (other.status ?? 0))
              .map(({ code, status, text, remedy }) => (
                <tr
                  key={code}
                  id={status ? `error-${code}` : `${id}-${code}`}
                  className="scroll-mt-4 border-t border-line align-top target:bg-selected"
                >
                  <td className="px-3 py-2.5 font-mono">{status ?? "–"}</td>
                  <td className="hidden px-3 py-2.5 font-mono text-xs leading-5 sm:table-cell">{code}</td>
                  <td className="px-3 py-2.5 text-ink-soft">
                    <span className="block font-mono text-xs leading-5 text-ink sm:hidden">{code}</span>
                    <span lang="en">{text}</span>
                    {remedy && (
                      <span lang="en" className="mt-0.5 block text-ink">
                        <Inline text={remedy} />
                      </span>
                    )}
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Named values with their types. On a phone each is a block instead of a row. */
export function FieldTable({
  title,
  rows,
}: {
  title?: string;
  rows: ReadonlyArray<{ name: string; kind?: string; isRequired: boolean; type: string; details: string }>;
}) {
  return (
    <section>
      {title && <h4 className="mb-2 text-sm font-semibold">{title}</h4>}
      <dl className="divide-y divide-line rounded-xl border border-line text-sm">
        {rows.map(({ name, kind, isRequired, type, details }) => (
          <div key={name} className="grid gap-x-4 gap-y-0.5 p-3 sm:grid-cols-[12rem_1fr]">
            <dt className="min-w-0">
              <span className="font-mono font-medium break-all">{name}</span>
              <span className="ms-2 text-xs text-ink-soft sm:ms-0 sm:block">
                {`${kind ? `${kind}, ` : ""}${isRequired ? strings.required : strings.optional}`}
              </span>
            </dt>
            <dd className="min-w-0">
              <TypeText type={type} />
              {details && (
                <span lang="en" className="block text-xs leading-5 break-words text-ink-soft">
                  <Inline text={details} />
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** One line that may contain `code`. */
function Inline({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts never move
      <code key={index} className="font-mono text-ink">
        {part}
      </code>
    ),
  );
}

/** The paragraphs and lists of the document's descriptions. */
export function Prose({ text, className = "" }: { text: string; className?: string }) {
  return (
    <div
      lang="en"
      className={`space-y-2 text-sm leading-6 break-words text-ink-soft [&_code]:font-mono [&_code]:text-ink [&_ol]:list-decimal [&_ol]:space-y-1 [&_ol]:ps-5 [&_strong]:font-semibold [&_strong]:text-ink ${className}`}
    >
      <Markdown>{text}</Markdown>
    </div>
  );
}

/** Code that scrolls sideways instead of breaking. */
export function Code({ text }: { text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
      dir="ltr"
      className="overflow-x-auto rounded-xl bg-sunken p-3 font-mono text-xs leading-5"
    >
      {text}
    </pre>
  );
}

/** A type whose schema names are links. */
export function TypeText({ type }: { type: string }) {
  return (
    <span translate="no" className="font-mono text-xs break-words">
      {type.split(/((?<!["\w])[A-Z][a-z]\w+(?!["\w]))/).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts never move
          <a key={index} href={`#schema-${part}`} className="text-link underline">
            {part}
          </a>
        ),
      )}
    </span>
  );
}
