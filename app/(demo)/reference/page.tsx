import type { Metadata } from "next";
import { connection } from "next/server";
import { currentConfig } from "../../../lib/config.ts";
import { createOpenApi } from "../../../lib/contract/openapi.ts";
import { SiteFooter } from "../_landing/site-footer.tsx";
import { SiteHeader } from "../_landing/site-header.tsx";
import type { ApiDocument } from "../_reference/document.ts";
import { ReferenceView } from "../_reference/reference-view.tsx";
import { strings } from "../_reference/strings.en.ts";
import { Prose } from "../_reference/tables.tsx";

export const generateMetadata = (): Metadata => ({ title: strings.title });

/** The API reference as HTML that needs no script. */
export default async function ReferencePage() {
  // The page is rendered per request: the settings come from the server, not from the build.
  await connection();
  const document = createOpenApi(currentConfig().publicUrl) as unknown as ApiDocument;
  return (
    <>
      <SiteHeader />
      <main id="content" className="mx-auto w-full max-w-4xl px-4 py-8 sm:px-6 lg:py-12">
        <h1 className="text-xl font-semibold tracking-tight">{strings.title}</h1>
        <Prose text={document.info.description} className="mt-3" />
        <p className="mt-3 text-sm">
          <a href="/api/openapi.json" className="font-medium text-link underline">
            {strings.document}
          </a>
        </p>
        <ReferenceView document={document} />
      </main>
      <SiteFooter path="/reference" />
    </>
  );
}
