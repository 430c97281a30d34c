import { sellListedArticle } from "#lib/demo-shop/own-offers.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/demo/articles/{slug}", {
  GET: ({ services, request, params }) => sellListedArticle(services, request, params.slug ?? ""),
});
