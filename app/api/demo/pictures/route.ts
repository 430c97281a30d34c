import { readArticlePicture } from "#lib/demo-shop/article-pictures.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/demo/pictures", {
  GET: ({ services, query, asked, clientAddress, signal }) =>
    readArticlePicture(services, query, asked.headers.get("if-none-match"), clientAddress, signal),
});
