import { GET } from "../../api/demo/articles/route.ts";
import type { ArticleOffer } from "./load-articles.ts";

/** The list of articles as its route gives it to everybody; for pages that are made on the server. */
export async function readArticles(): Promise<ArticleOffer[]> {
  const response = await GET(new Request("http://localhost/api/demo/articles"));
  return ((await response.json()) as { articles: ArticleOffer[] }).articles;
}
