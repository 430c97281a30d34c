import { ArrowLeft } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { currentConfig } from "#lib/config.ts";
import { ARTICLE_PRICE, articles } from "#lib/demo-shop/articles.ts";
import { isShopOpen } from "#lib/demo-shop/payee.ts";
import { SiteFooter } from "../../_landing/site-footer.tsx";
import { SiteHeader } from "../../_landing/site-header.tsx";
import { ClosedShop } from "../closed-shop.tsx";
import { strings } from "../strings.en.ts";
import { ArticleView } from "./article-view.tsx";

type Props = { params: Promise<{ slug: string }> };

/** Returns what other sites show for a link to the article: its free part, and the price of the rest. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { slug } = await params;
  const article = articles.find((offer) => offer.slug === slug);
  if (!article || !isShopOpen(currentConfig())) return { title: strings.title };
  return { title: article.title, description: `${article.teaser} (${ARTICLE_PRICE})` };
}

export default async function ArticlePage({ params }: Props) {
  const { slug } = await params;
  return (
    <>
      <SiteHeader />
      <main id="content" className="mx-auto w-full max-w-3xl px-4 py-6 sm:px-6 lg:py-10">
        {isShopOpen(currentConfig()) ? (
          <>
            <Link
              href="/articles"
              prefetch={false}
              className="inline-flex items-center gap-1.5 py-2.5 text-sm text-ink-soft hover:text-ink"
            >
              <ArrowLeft aria-hidden size={15} className="rtl:-scale-x-100" />
              {strings.back}
            </Link>
            <ArticleView slug={slug} />
          </>
        ) : (
          <ClosedShop />
        )}
      </main>
      <SiteFooter />
    </>
  );
}
