import { gateway } from "../_session/gateway.ts";

export type ArticleOffer = { slug: string; title: string; price: string; teaser: string };

let list: Promise<ArticleOffer[]> | null = null;

/** One article of the list, which is read once; null for a name that is not on it. */
export async function loadArticle(slug: string): Promise<ArticleOffer | null> {
  list ??= gateway
    .request<{ articles: ArticleOffer[] }>("/api/demo/articles")
    .then(({ articles }) => articles);
  try {
    return (await list).find((article) => article.slug === slug) ?? null;
  } catch (error) {
    list = null;
    throw error;
  }
}
