import type { Metadata } from "next";
import { SiteHeader } from "../_landing/site-header.tsx";
import { readDocument } from "../_reference/document.ts";
import { ErrorTable } from "../_reference/error-table.tsx";
import { groupOperations } from "../_reference/group-operations.ts";
import { messages } from "../_reference/messages.en.ts";
import { OperationCard } from "../_reference/operation-card.tsx";

export const metadata: Metadata = { title: messages.title };

export default async function ReferencePage() {
  const document = await readDocument();
  const server = document.servers[0]?.url ?? "";
  const groups = groupOperations(document.paths);
  return (
    <>
      <SiteHeader />
      <main id="content" className="mx-auto w-full max-w-4xl px-4 py-8 sm:px-6 lg:py-12">
        <h1 className="text-3xl font-semibold tracking-tight sm:text-4xl">{messages.title}</h1>
        <p className="mt-3 text-ink-soft">{messages.lead}</p>
        <p className="mt-2 text-sm">
          <a href="/api/openapi.json" className="font-medium text-accent-text underline">
            {messages.document}
          </a>
        </p>
        <nav aria-label={messages.contents} className="mt-6 flex flex-wrap gap-2">
          {[...groups.keys(), "errors"].map((group) => (
            <a
              key={group}
              href={`#${group}`}
              className="rounded-full border border-line bg-surface px-3 py-1.5 text-sm hover:border-line-strong"
            >
              {group === "errors" ? messages.errors : (messages.groups[group] ?? group)}
            </a>
          ))}
        </nav>
        {[...groups].map(([group, entries]) => (
          <section key={group} id={group} className="mt-10 scroll-mt-4">
            <h2 className="mb-4 text-xl font-semibold">{messages.groups[group] ?? group}</h2>
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
      </main>
    </>
  );
}
