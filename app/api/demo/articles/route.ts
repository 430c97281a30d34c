import { ARTICLE_PRICE, articles, nameOf } from "../../../../lib/demo-shop/articles.ts";
import { accountOf, receiptFor } from "../../../../lib/demo-shop/sell.ts";
import { route } from "../../../../lib/services/services.ts";

/** The list; with the receipt of those that the signed-in account has bought. */
export const GET = route({}, async ({ services, request }) => {
  const account = await accountOf(services, request);
  const offers = articles.map(async (article) => {
    const { slug, title, teaser } = article;
    const receipt = account === null ? null : await receiptFor(services, account, nameOf(article));
    return { slug, title, price: ARTICLE_PRICE, teaser, ...(receipt && { receipt }) };
  });
  return { articles: await Promise.all(offers) };
});
