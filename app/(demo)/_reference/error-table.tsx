import type { ApiDocument } from "./document.ts";
import { strings } from "./strings.en.ts";

/** Every error code with its status and meaning. */
export function ErrorTable({ codes }: { codes: ApiDocument["x-error-codes"] }) {
  const { columns } = strings;
  return (
    <section id="errors" className="mt-10 scroll-mt-4">
      <h2 className="text-xl font-semibold">{strings.errors}</h2>
      <p className="mt-2 mb-4 text-sm text-ink-soft">{strings.errorsText}</p>
      <table className="w-full rounded-2xl border border-line bg-surface text-left text-sm">
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
          {codes.map(({ code, status, text }) => (
            <tr key={code} className="border-t border-line align-top">
              <td className="px-3 py-2.5 font-mono">{status}</td>
              <td className="hidden px-3 py-2.5 font-mono text-xs leading-5 sm:table-cell">{code}</td>
              <td className="px-3 py-2.5 text-ink-soft">
                <span className="block font-mono text-xs leading-5 text-ink sm:hidden">{code}</span>
                {text}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
