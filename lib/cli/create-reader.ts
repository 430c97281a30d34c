import { formatHBD, formatMillis, parseMillis } from "../x402/amount.ts";
import { createPayingFetch, PaymentError } from "../x402/client/index.ts";
import { Article, ArticleList, keyOf, read, type Sandbox } from "./pay-for-article.ts";

const SUMMARY_CHARACTERS = 240;
const PAID_WITHIN_MS = 60_000;

/** Most HBD for one article, and in all. */
export type Limits = { maxPayment: number; budget: number };

/** A reader with a purse: answers a question in Markdown, buying the article that it names. */
export function createReader(baseUrl: string, account: string, sandbox: Sandbox, limits: Limits) {
  let spentMillis = 0;
  const pay = createPayingFetch({
    account,
    activeKey: keyOf(sandbox, account, "active"),
    nodes: [sandbox.chain.url],
    chainId: sandbox.chain.chainId,
    maxPayment: limits.maxPayment,
    budget: { perHost: limits.budget },
    allowedHosts: [new URL(baseUrl).host],
  });
  const spent = () => `Spent so far: ${formatMillis(spentMillis)} of ${formatHBD(limits.budget)}.`;

  const buy = async (slug: string, price: string) => {
    const response = await pay(`${baseUrl}/api/demo/articles/${slug}`, {
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(PAID_WITHIN_MS),
    });
    if (response.status !== 200) return `The shop answered ${response.status}. ${spent()}`;
    const { title, body, txId } = Article.parse(await response.json());
    spentMillis += parseMillis(price) ?? 0;
    const start = body
      .slice(0, SUMMARY_CHARACTERS)
      .replace(/\s+\S*$/, "")
      .replaceAll("\n", " ");
    return [
      `**${title}** begins: ${start}…`,
      `Read on: ${baseUrl}/articles/${slug}`,
      `I paid ${price}, transaction \`${txId}\`. ${spent()}`,
    ].join("\n\n");
  };

  return {
    async answer(question: string): Promise<string> {
      const { articles } = await read(`${baseUrl}/api/demo/articles`, 200, ArticleList);
      const asked = question.toLowerCase();
      const wanted = articles.find(
        ({ slug, title }) => asked.includes(slug) || asked.includes(title.toLowerCase()),
      );
      if (!wanted) {
        const names = articles.map(({ slug, title, price }) => `- \`${slug}\`: ${title}, ${price}`);
        return ["Name one of these, and I buy and read it:", ...names].join("\n");
      }
      try {
        return await buy(wanted.slug, wanted.price);
      } catch (error) {
        if (!(error instanceof PaymentError)) throw error;
        return `I do not buy "${wanted.title}" for ${wanted.price}: ${error.message} ${spent()}`;
      }
    },
  };
}
