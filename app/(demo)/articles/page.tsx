import type { Metadata } from "next";
import { SiteFooter } from "../_landing/site-footer.tsx";
import { SiteHeader } from "../_landing/site-header.tsx";
import { IfShop } from "../_pay/shop-here.tsx";
import { ArticleList } from "./article-list.tsx";
import { ClosedShop } from "./closed-shop.tsx";
import { strings } from "./strings.en.ts";

export const generateMetadata = (): Metadata => ({ title: strings.title });

export default function ArticlesPage() {
  return (
    <>
      <SiteHeader />
      <main id="content" className="mx-auto w-full max-w-3xl px-4 py-8 sm:px-6 lg:py-12">
        <IfShop otherwise={<ClosedShop />}>
          <h1 className="text-xl font-semibold tracking-tight">{strings.title}</h1>
          <p className="mt-3 max-w-prose text-ink-soft">{strings.lead}</p>
          <ArticleList />
        </IfShop>
      </main>
      <SiteFooter />
    </>
  );
}
