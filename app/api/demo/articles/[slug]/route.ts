import { CodedError } from "../../../../../lib/errors.ts";
import { route } from "../../../../../lib/http/route.ts";
import type { Article } from "../../content/article.ts";
import { articles } from "../../content/articles.ts";
import { sell } from "../../sell.ts";

export { preflight as OPTIONS } from "../../../../../lib/http/preflight.ts";

const sold = new Map(articles.map((article) => [article.slug, sellArticle(article)]));

function sellArticle(article: Article) {
  return sell(`article.${article.slug}`, { description: article.title }, (_request, { payer, txId }) =>
    Response.json({ ...article, payer, txId }),
  );
}

export const GET = route({}, ({ request, params }) => {
  const read = sold.get(params.slug ?? "");
  // Told before anybody is asked to pay.
  if (!read) throw new CodedError("not_found");
  return read(request, {});
});
