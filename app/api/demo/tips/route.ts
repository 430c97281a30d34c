import { tipsLimit, tipsReadLimit } from "../../../../lib/contract/limits.ts";
import { TipQuery, TipsQuery } from "../../../../lib/contract/requests.ts";
import { checkAuthor, payTip, readTips } from "../../../../lib/demo-shop/sell.ts";
import { route } from "../../../../lib/services/services.ts";
import { formatMillis } from "../../../../lib/x402/amount.ts";

export const GET = route(
  { query: TipsQuery, limit: tipsReadLimit },
  async ({ services: { store }, query: { post, posts = "" } }) => {
    const read = async (id: string) => {
      const { count, millis } = await readTips(store, id);
      return { count, total: formatMillis(millis) };
    };
    if (post !== undefined) return read(post);
    const ids = [...new Set(posts.split(","))];
    const tips = await Promise.all(ids.map(async (id) => [id, await read(id)] as const));
    return { tips: Object.fromEntries(tips.filter(([, { count }]) => count > 0)) };
  },
);

export const POST = route({ query: TipQuery, limit: tipsLimit }, async ({ services, request, query }) => {
  // Told before anybody is asked to pay.
  if (query.post !== undefined) await checkAuthor(services, request, query.post, query.to);
  return payTip(services, request, {});
});
