import { offerArticles } from "#lib/demo-shop/sell.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/demo/articles", {
  GET: ({ services, request }) => offerArticles(services, request),
});
