import { networkNames } from "../chains.ts";
import type { Articles, KeptReceipt, Article as SoldArticle } from "../contract/payment-answers.ts";
import { CodedError, hasCode } from "../errors.ts";
import { chosenLanguage } from "../http/page-guard.ts";
import { log } from "../log.ts";
import { deriveSecrets } from "../secret.ts";
import type { Services } from "../services/services.ts";
import { withPaywall } from "../x402/next.ts";
import { type AccessOptions, findPurchase, subjectOf } from "../x402/paywall/access.ts";
import { prefersHtml } from "../x402/paywall/answer.ts";
import type { PaywallOptions } from "../x402/paywall/index.ts";
import { boughtPage } from "../x402/paywall/payment-page.ts";
import { chooseLanguage } from "../x402/paywall/payment-page-texts.ts";
import { picturesIn } from "./article-pictures.ts";
import { ARTICLE_PRICE, type Article, articles, nameOf } from "./articles.ts";

/** What is asked for, and whom to pay; an article of the shop unless told otherwise. */
type Terms = Pick<PaywallOptions<Request>, "description"> &
  Partial<Pick<PaywallOptions<Request>, "amount" | "receivingAccount">> & {
    /** Name under which one payment buys it for good; without it every answer is paid for. */
    boughtAs?: string;
  };

/** Ten years: bought is bought. */
const KEPT_FOR = "3650d";

const SELLER = "shop";

type Sold<C> = (
  services: Services,
  request: Request,
  context: C & { payer: string; txId: string },
) => Response | Promise<Response>;

/** Puts a handler of this app behind its own paywall: one a gateway, created with its first request. */
export function sell<C extends object>(key: string, { boughtAs, ...terms }: Terms, handler: Sold<C>) {
  return async (services: Services, request: Request, context: C): Promise<Response> => {
    // Told before anybody is asked to pay.
    await services.requireStore();
    const guarded = services.own(`paywall.${key}`, () =>
      withPaywall<Request, C>(
        {
          ...commonTerms(services),
          ...terms,
          ...(boughtAs !== undefined && { access: accessFor(services, boughtAs) }),
          mimeType: "application/json",
        },
        (sold, paid) => handler(services, sold, paid),
      ),
    );
    return guarded(request, context);
  };
}

function commonTerms(services: Services) {
  const { hive, x402, sessionSecret, sandbox, publicUrl } = services.config;
  const [secret, previousSecret] = deriveSecrets(sessionSecret, "x402 offers");
  return {
    amount: ARTICLE_PRICE,
    receivingAccount: SELLER,
    network: x402.network,
    chainId: hive.chainId,
    nodes: hive.nodes,
    store: services.store,
    language: (request: Request) => languageOf(request),
    secret,
    ...(previousSecret && { previousSecret }),
    // On the sandbox the address is whatever the visitor typed.
    ...(!sandbox && { publicUrl }),
    ...(x402.facilitatorUrl
      ? { facilitatorUrl: x402.facilitatorUrl }
      : { facilitator: ownFacilitator(services) }),
    onFault: (error: unknown) => log().error({ err: error }, "paid handler failed"),
  };
}

/** What the reader has chosen for the pages, or else what the browser prefers. */
const languageOf = ({ headers }: Request) =>
  chooseLanguage(chosenLanguage(headers.get("cookie")), headers.get("accept-language") ?? "");

const ownFacilitator = (services: Services): NonNullable<PaywallOptions["facilitator"]> => ({
  verify: (request) => services.facilitator().facilitator.verify(request),
  settle: (request, options) => services.facilitator().facilitator.settle(request, options),
});

const accessFor = (services: Services, key: string): AccessOptions<Request> => ({
  for: KEPT_FOR,
  key,
  account: (request) => accountOf(services, request),
});

/** Who is signed in to this gateway, by the request's cookie; null for nobody. @throws CodedError `degraded` */
async function accountOf(services: Services, request: Request): Promise<string | null> {
  if (!request.headers.has("cookie")) return null;
  const { authenticator, cookie } = await services.authentication();
  try {
    return await authenticator.accountOf(await cookie.read(request));
  } catch (error) {
    if (hasCode(error, "unauthorized")) return null;
    throw error;
  }
}

/** The receipt of what an account has bought under a name of `boughtAs`; null for nothing. @throws CodedError `degraded` */
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

/** The list of articles; with the receipts of those that the signed-in account has bought. @throws CodedError `degraded` */
export async function offerArticles(services: Services, request: Request): Promise<Articles> {
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
    { description: article.title, boughtAs: nameOf(article) },
    async (services, request, { payer, txId }) => {
      const pictures = picturesIn(services, article.body);
      const sold = {
        ...article,
        ...(Object.keys(pictures).length > 0 && { pictures }),
        payer,
        txId,
      } satisfies SoldArticle;
      // Programs name what they read; a browser that shows the address comes back to what was bought.
      if (!prefersHtml(request.headers.get("accept") ?? "")) return Response.json(sold);
      const receipt = (await receiptFor(services, payer, nameOf(article))) ?? { payer, txId };
      const { title, body } = article;
      const page = boughtPage({ title, text: body, textLanguage: "en", receipt }, languageOf(request));
      return new Response(page.body, { headers: page.headers });
    },
  );
}

/** An article for a payment, or for an account that has bought it. @throws CodedError `not_found`, before anybody is asked to pay */
export async function sellArticle(services: Services, request: Request, slug: string): Promise<Response> {
  const read = sold.get(slug);
  if (!read) throw new CodedError("not_found");
  return read(services, request, {});
}
