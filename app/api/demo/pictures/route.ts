import { articlePicturesLimit } from "#lib/contract/limits.ts";
import { ArticlePictureQuery } from "#lib/contract/media-operations.ts";
import { readArticlePicture } from "#lib/demo-shop/article-pictures.ts";
import { readClientAddress } from "#lib/http/client-address.ts";
import { route } from "#lib/services/services.ts";

export const GET = route(
  { query: ArticlePictureQuery, limit: articlePicturesLimit },
  ({ services, query, request, signal }) =>
    readArticlePicture(
      services,
      query,
      request.headers.get("if-none-match"),
      readClientAddress(request),
      signal,
    ),
);
