import { ArrowLeft } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { SiteHeader } from "../../_landing/site-header.tsx";
import { strings } from "../strings.en.ts";
import { ArticleView } from "./article-view.tsx";

export const generateMetadata = (): Metadata => ({ title: strings.title });

export default async function ArticlePage({ params }: { params: Promise<{ slug: string }> }) {
  const { slug } = await params;
  return (
    <>
      <SiteHeader />
      <main id="content" className="mx-auto w-full max-w-3xl px-4 py-6 sm:px-6 lg:py-10">
        <Link
          href="/articles"
          prefetch={false}
          className="inline-flex items-center gap-1.5 py-2.5 text-sm text-ink-soft hover:text-ink"
        >
          <ArrowLeft aria-hidden size={15} className="rtl:-scale-x-100" />
          {strings.back}
        </Link>
        <ArticleView slug={slug} />
      </main>
    </>
  );
}
