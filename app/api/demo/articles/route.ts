import { ARTICLE_PRICE, articles } from "../../../../lib/demo-shop/content/articles.ts";
import { route } from "../../../../lib/http/route.ts";

export { preflight as OPTIONS } from "../../../../lib/http/headers.ts";

export const GET = route({}, () => ({
  articles: articles.map(({ slug, title, teaser }) => ({ slug, title, price: ARTICLE_PRICE, teaser })),
}));
