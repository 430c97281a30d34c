import { ARTICLE_PRICE, articles } from "../../../../lib/demo-shop/articles.ts";
import { route } from "../../../../lib/services/route.ts";

export const GET = route({}, () => ({
  articles: articles.map(({ slug, title, teaser }) => ({ slug, title, price: ARTICLE_PRICE, teaser })),
}));
