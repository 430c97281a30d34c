import { offerArticles } from "#lib/demo-shop/sell.ts";
import { route } from "#lib/services/services.ts";

export const GET = route({}, ({ services, request }) => offerArticles(services, request));
