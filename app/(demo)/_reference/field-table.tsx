/** Named values with their types; on a phone each is a block instead of a row. */
export function FieldTable({
  title,
  rows,
}: {
  title: string;
  rows: ReadonlyArray<{ name: string; kind: string; type: string; details: string }>;
}) {
  return (
    <section>
      <h4 className="mb-2 text-sm font-semibold">{title}</h4>
      <dl className="divide-y divide-line rounded-xl border border-line text-sm">
        {rows.map(({ name, kind, type, details }) => (
          <div key={name} className="grid gap-x-4 gap-y-0.5 p-3 sm:grid-cols-[12rem_1fr]">
            <dt className="min-w-0">
              <span className="font-mono font-medium break-all">{name}</span>
              <span className="ml-2 text-xs text-ink-soft sm:ml-0 sm:block">{kind}</span>
            </dt>
            <dd className="min-w-0">
              <span className="font-mono text-xs break-words">{type}</span>
              {details && <span className="block text-xs break-words text-ink-soft">{details}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
