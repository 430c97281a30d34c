import type { Metadata } from "next";
import { Suspense } from "react";
import { SiteFooter } from "../_landing/site-footer.tsx";
import { SiteHeader } from "../_landing/site-header.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import { PaymentsView } from "./payments-view.tsx";
import { strings } from "./strings.en.ts";

export const generateMetadata = (): Metadata => ({ title: strings.title });

export default function PaymentsPage() {
  return (
    <>
      <SiteHeader />
      <main id="content" className="mx-auto w-full max-w-4xl px-4 py-8 sm:px-6 lg:py-12">
        <h1 className="text-xl font-semibold tracking-tight">{strings.title}</h1>
        <p className="mt-3 text-ink-soft">{strings.lead}</p>
        <Suspense fallback={<Skeleton className="mt-8 h-72 rounded-2xl" />}>
          <PaymentsView />
        </Suspense>
      </main>
      <SiteFooter />
    </>
  );
}
