import { tipsLimit, tipsReadLimit } from "#lib/contract/limits.ts";
import { TipQuery, TipsQuery } from "#lib/contract/requests.ts";
import { payTip, sumTips } from "#lib/demo-shop/tips.ts";
import { route } from "#lib/services/services.ts";

export const GET = route({ query: TipsQuery, limit: tipsReadLimit }, ({ services, query }) =>
  sumTips(services.store, query),
);

export const POST = route({ query: TipQuery, limit: tipsLimit }, ({ services, request, query }) =>
  payTip(services, request, query),
);
