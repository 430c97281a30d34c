import { type Article, articles, nameOf } from "../../../../../lib/demo-shop/articles.ts";
import { sell } from "../../../../../lib/demo-shop/sell.ts";
import { CodedError } from "../../../../../lib/errors.ts";
import { route } from "../../../../../lib/services/services.ts";

const sold = new Map(articles.map((article) => [article.slug, sellArticle(article)]));

function sellArticle(article: Article) {
  return sell(
    `article.${article.slug}`,
    { description: article.title, boughtAs: nameOf(article) },
    (_services, _request, { payer, txId }) => Response.json({ ...article, payer, txId }),
  );
}

export const GET = route({}, ({ services, request, params }) => {
  const read = sold.get(params.slug ?? "");
  // Told before anybody is asked to pay.
  if (!read) throw new CodedError("not_found");
  return read(services, request, {});
});
