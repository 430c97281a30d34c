import { CodedError } from "../errors.ts";
import { log } from "../log.ts";
import { deriveSecrets } from "../secret.ts";
import type { Services } from "../services/services.ts";
import { withPaywall } from "../x402/next.ts";
import { type AccessOptions, findPurchase } from "../x402/paywall/access.ts";
import type { PaywallOptions } from "../x402/paywall/index.ts";
import { ARTICLE_PRICE } from "./articles.ts";

/** What is asked for, and whom to pay; an article of the shop unless told otherwise. */
type Terms = Pick<PaywallOptions<Request>, "description"> &
  Partial<Pick<PaywallOptions<Request>, "amount" | "receivingAccount">> & {
    /** Under which name it is bought once for all; without it every answer is paid for. */
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
export async function accountOf(services: Services, request: Request): Promise<string | null> {
  if (!request.headers.has("cookie")) return null;
  const { authenticator, cookie } = await services.authentication();
  try {
    return await authenticator.accountOf(await cookie.read(request));
  } catch (error) {
    if (error instanceof CodedError && error.code === "unauthorized") return null;
    throw error;
  }
}

/** The receipt of what an account has bought under a name of `boughtAs`; null for nothing. @throws CodedError `degraded` */
export async function receiptFor(services: Services, account: string, key: string) {
  await services.requireStore();
  const purchase = await findPurchase(services.store, account, key).catch((cause: unknown) => {
    throw new CodedError("degraded", { cause });
  });
  if (!purchase) return null;
  const { settlement, amount, paidAt } = purchase;
  const { payer = account, txId = "", blockNum = null, network = "" } = settlement;
  return { payer, txId, blockNum, network, amount, paidAt };
}
