import { networkNames } from "../chains.ts";
import type { Articles, KeptReceipt, Article as SoldArticle } from "../contract/payment-answers.ts";
import { CodedError } from "../errors.ts";
import { accountOf, paywallTerms, readerLanguage } from "../services/paywall-terms.ts";
import type { Services } from "../services/services.ts";
import { withPaywall } from "../x402/next.ts";
import { findPurchase, subjectOf } from "../x402/paywall/access.ts";
import type { AccessOptions } from "../x402/paywall/access-options.ts";
import { prefersHtml } from "../x402/paywall/answer.ts";
import type { PaywallOptions } from "../x402/paywall/options.ts";
import { boughtPage } from "../x402/paywall/payment-page.ts";
import { picturesIn } from "./article-pictures.ts";
import { ARTICLE_PRICE, type Article, articles, nameOf } from "./articles.ts";
import { payeeOf } from "./payee.ts";

/** The price, by default that of an article, and the payee, by default the operator's account. */
type Terms = Pick<PaywallOptions<Request>, "description" | "discoverable"> &
  Partial<Pick<PaywallOptions<Request>, "amount" | "receivingAccount">> & {
    /** The key of a lasting purchase; without it, every answer costs a payment. */
    boughtAs?: string;
  };

/** Ten years, because a purchase should last. */
const KEPT_FOR = "3650d";

type Sold<C> = (
  services: Services,
  request: Request,
  context: C & { payer: string; txId: string },
) => Response | Promise<Response>;

/**
 * Puts a handler of this app behind a paywall, which each gateway creates on the handler's first request. The handler
 * rejects as `payeeOf` does if no one is to be paid.
 */
export function sell<C extends object>(key: string, { boughtAs, ...terms }: Terms, handler: Sold<C>) {
  return async (services: Services, request: Request, context: C): Promise<Response> => {
    const receivingAccount = terms.receivingAccount ?? payeeOf(services.config);
    // The store is checked before anyone is asked to pay.
    await services.requireStore();
    const guarded = services.own(`paywall.${key}`, () =>
      withPaywall<Request, C>(
        {
          ...paywallTerms<Request>(services),
          amount: ARTICLE_PRICE,
          ...terms,
          receivingAccount,
          ...(boughtAs !== undefined && { access: accessFor(services, boughtAs) }),
          mimeType: "application/json",
        },
        (sold, paid) => handler(services, sold, paid),
      ),
    );
    return guarded(request, context);
  };
}

const accessFor = (services: Services, key: string): AccessOptions<Request> => ({
  for: KEPT_FOR,
  key,
  account: (request) => accountOf(services, request),
});

/** Returns the receipt of an account's purchase under a key of `boughtAs`, or null. @throws CodedError `degraded` */
async function receiptFor(services: Services, account: string, key: string): Promise<KeptReceipt | null> {
  await services.requireStore();
  const subject = subjectOf(networkNames(services.config.hive.chainId), key);
  const purchase = await findPurchase(services.store, account, subject).catch((cause: unknown) => {
    throw new CodedError("degraded", { cause });
  });
  if (!purchase) return null;
  const { settlement, amount, paidAt } = purchase;
  const { payer = account, txId = "", blockNum = null, network = "" } = settlement;
  return { payer, txId, blockNum, network, amount, paidAt };
}

/**
 * Lists the articles, with receipts for those that the signed-in account has bought.
 * @throws CodedError as `payeeOf` does; `degraded`
 */
export async function offerArticles(services: Services, request: Request): Promise<Articles> {
  payeeOf(services.config);
  const account = await accountOf(services, request);
  const offers = articles.map(async (article) => {
    const { slug, title, teaser } = article;
    const receipt = account === null ? null : await receiptFor(services, account, nameOf(article));
    return { slug, title, price: ARTICLE_PRICE, teaser, ...(receipt && { receipt }) };
  });
  return { articles: await Promise.all(offers) };
}

const sold = new Map(articles.map((article) => [article.slug, behindPaywall(article)]));

function behindPaywall(article: Article) {
  return sell(
    `article.${article.slug}`,
    { description: article.title, boughtAs: nameOf(article), discoverable: { output: { type: "json" } } },
    async (services, request, { payer, txId }) => {
      const pictures = picturesIn(services, article.body);
      const sold = {
        ...article,
        ...(Object.keys(pictures).length > 0 && { pictures }),
        payer,
        txId,
      } satisfies SoldArticle;
      // Programs, which name the type that they accept, get JSON. A browser at this address is returning to
      // its purchase.
      if (!prefersHtml(request.headers.get("accept") ?? "")) return Response.json(sold);
      const receipt = (await receiptFor(services, payer, nameOf(article))) ?? { payer, txId };
      const { title, body } = article;
      const page = boughtPage({ title, text: body, textLanguage: "en", receipt }, readerLanguage(request));
      return new Response(page.body, { headers: page.headers });
    },
  );
}

/**
 * Sells an article for a payment, or returns it to an account that has bought it. @throws CodedError `not_found`,
 * also if the operator has named no account to pay, before anyone is asked to
 */
export async function sellArticle(services: Services, request: Request, slug: string): Promise<Response> {
  const read = sold.get(slug);
  if (!read) throw new CodedError("not_found");
  return read(services, request, {});
}
