import { ArrowLeft } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import { SiteHeader } from "../../_landing/site-header.tsx";
import { readArticles } from "../../_pay/read-articles.ts";
import { messages } from "../messages.en.ts";
import { ArticleReader } from "./article-reader.tsx";

type Props = { params: Promise<{ slug: string }> };

async function findArticle({ params }: Props) {
  const { slug } = await params;
  return (await readArticles()).find((article) => article.slug === slug);
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  return { title: (await findArticle(props))?.title ?? messages.title };
}

export default async function ArticlePage(props: Props) {
  const article = await findArticle(props);
  if (!article) notFound();
  return (
    <>
      <SiteHeader />
      <main id="content" className="mx-auto w-full max-w-3xl px-4 py-6 sm:px-6 lg:py-10">
        <Link
          href="/articles"
          prefetch={false}
          className="inline-flex items-center gap-1.5 py-2 text-sm text-ink-soft hover:text-ink"
        >
          <ArrowLeft aria-hidden size={15} />
          {messages.back}
        </Link>
        <h1 className="mt-3 text-3xl font-semibold tracking-tight text-balance sm:text-4xl">
          {article.title}
        </h1>
        <p className="mt-4 max-w-prose text-lg text-ink-soft">{article.teaser}</p>
        <ArticleReader article={article} />
      </main>
    </>
  );
}
