import { payTip, sumTips } from "#lib/demo-shop/tips.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/demo/tips", {
  GET: ({ services, query }) => sumTips(services.store, query),
  POST: ({ services, request, query }) => payTip(services, request, query),
});
