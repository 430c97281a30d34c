"use client";

import { useResource } from "../_session/gateway.ts";
import { Unavailable } from "../_session/unavailable.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import { type ApiDocument, groupOperations } from "./document.ts";
import { OperationCard } from "./operation-card.tsx";
import { strings } from "./strings.en.ts";
import { ErrorTable } from "./tables.tsx";

/** Every operation of the OpenAPI document, in groups, and the error codes. */
export function ReferenceView() {
  const { data: document, error, retry } = useResource<ApiDocument>("/api/openapi.json");
  if (error) return <Unavailable error={error} onRetry={retry} />;
  if (!document) return <Skeleton className="mt-8 h-96 rounded-2xl" />;
  const server = document.servers[0]?.url ?? "";
  const groups = groupOperations(document.paths);
  return (
    <>
      <nav aria-label={strings.contents} className="mt-6 flex flex-wrap gap-2">
        {[...groups.keys(), "errors"].map((group) => (
          <a
            key={group}
            href={`#${group}`}
            className="rounded-full border border-line bg-surface px-3 py-1.5 text-sm hover:border-line-strong pointer-coarse:py-2.5"
          >
            {group === "errors" ? strings.errors : (strings.groups[group] ?? group)}
          </a>
        ))}
      </nav>
      {[...groups].map(([group, entries]) => (
        <section key={group} id={group} className="mt-10 scroll-mt-4">
          <h2 className="mb-4 text-lg font-semibold">{strings.groups[group] ?? group}</h2>
          <div className="space-y-3">
            {entries.map((entry) => (
              <OperationCard
                key={entry.operation.operationId}
                server={server}
                schemas={document.components.schemas}
                {...entry}
              />
            ))}
          </div>
        </section>
      ))}
      <ErrorTable codes={document["x-error-codes"]} />
    </>
  );
}
