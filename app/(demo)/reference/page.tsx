import type { Metadata } from "next";
import { SiteHeader } from "../_landing/site-header.tsx";
import { ReferenceView } from "../_reference/reference-view.tsx";
import { strings } from "../_reference/strings.en.ts";

export const metadata: Metadata = { title: strings.title };

export default function ReferencePage() {
  return (
    <>
      <SiteHeader />
      <main id="content" className="mx-auto w-full max-w-4xl px-4 py-8 sm:px-6 lg:py-12">
        <h1 className="text-xl font-semibold tracking-tight">{strings.title}</h1>
        <p className="mt-3 text-ink-soft">{strings.lead}</p>
        <p className="mt-2 text-sm">
          <a href="/api/openapi.json" className="font-medium text-accent-text underline">
            {strings.document}
          </a>
        </p>
        <ReferenceView />
      </main>
    </>
  );
}
