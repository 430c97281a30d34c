import { ArrowRight } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { SiteHeader } from "../_landing/site-header.tsx";
import { readArticles } from "../_pay/read-articles.ts";
import { messages } from "./messages.en.ts";

export const metadata: Metadata = { title: messages.title };

export default async function ArticlesPage() {
  const articles = await readArticles();
  return (
    <>
      <SiteHeader />
      <main id="content" className="mx-auto w-full max-w-3xl px-4 py-8 sm:px-6 lg:py-12">
        <h1 className="text-3xl font-semibold tracking-tight sm:text-4xl">{messages.title}</h1>
        <p className="mt-3 max-w-prose text-ink-soft">{messages.lead}</p>
        <ul className="mt-8 space-y-4">
          {articles.map(({ slug, title, price, teaser }) => (
            <li
              key={slug}
              className="relative rounded-2xl border border-line bg-surface p-5 transition-colors hover:border-accent-text sm:p-6"
            >
              <div className="flex items-start justify-between gap-4">
                <h2 className="text-xl font-semibold">
                  <Link
                    href={`/articles/${slug}`}
                    prefetch={false}
                    className="after:absolute after:inset-0 after:rounded-2xl"
                  >
                    {title}
                  </Link>
                </h2>
                <span className="shrink-0 rounded-full bg-accent-wash px-3 py-1 text-sm font-medium text-accent-text tabular-nums">
                  {price}
                </span>
              </div>
              <p className="mt-2 text-ink-soft">{teaser}</p>
              <p aria-hidden className="mt-4 flex items-center gap-1.5 text-sm font-medium text-accent-text">
                {messages.read(title)}
                <ArrowRight size={15} />
              </p>
            </li>
          ))}
        </ul>
      </main>
    </>
  );
}
