import { route } from "../../../../lib/http/route.ts";
import { ARTICLE_PRICE, articles } from "../content/articles.ts";

export { preflight as OPTIONS } from "../../../../lib/http/preflight.ts";

export const GET = route({}, () => ({
  articles: articles.map(({ slug, title, teaser }) => ({ slug, title, price: ARTICLE_PRICE, teaser })),
}));
