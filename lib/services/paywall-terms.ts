import { hasCode } from "../errors.ts";
import { chosenLanguage } from "../http/page-language.ts";
import { log } from "../log.ts";
import { deriveSecrets } from "../secret.ts";
import type { WithPaywallOptions } from "../x402/next.ts";
import type { PaywallOptions } from "../x402/paywall/options.ts";
import { chooseLanguage, type PageLanguage } from "../x402/paywall/payment-page-texts.ts";
import { signingOf } from "./offer-signing.ts";
import type { Services } from "./services.ts";

/**
 * Returns the options that all paywalls of a gateway share: facilitator, chain, store, secret, public address, nodes,
 * language, signing key.
 */
export function paywallTerms<R extends Request>(services: Services) {
  const { hive, x402, sessionSecret, sandbox, publicUrl } = services.config;
  const [secret, previousSecret] = deriveSecrets(sessionSecret, "x402 offers");
  const signing = signingOf(services.config);
  return {
    network: x402.network,
    chainId: hive.chainId,
    nodes: hive.nodes,
    store: services.store,
    language: (request: R) => readerLanguage(request),
    transfers: true,
    secret,
    ...(previousSecret && { previousSecret }),
    ...(signing && { signing }),
    // On the sandbox, the address is whatever the visitor typed.
    ...(!sandbox && { publicUrl }),
    ...(x402.facilitatorUrl
      ? { facilitatorUrl: x402.facilitatorUrl }
      : { facilitator: ownFacilitator(services) }),
    onFault: (error: unknown) => log().error({ err: error }, "paid handler failed"),
  } satisfies Partial<WithPaywallOptions<R>>;
}

/** Returns the language that the reader chose for the pages, or else the one that the browser prefers. */
export const readerLanguage = ({ headers }: Request): PageLanguage =>
  chooseLanguage(chosenLanguage(headers.get("cookie")), headers.get("accept-language") ?? "");

const ownFacilitator = (services: Services): NonNullable<PaywallOptions["facilitator"]> => ({
  verify: (request) => services.facilitator().facilitator.verify(request),
  settle: (request, options) => services.facilitator().facilitator.settle(request, options),
});

/** Returns the account that is signed in to this gateway by the request's cookie, or null. @throws CodedError `degraded` */
export async function accountOf(services: Services, request: Request): Promise<string | null> {
  if (!request.headers.has("cookie")) return null;
  const { authenticator, cookie } = await services.authentication();
  try {
    return await authenticator.accountOf(await cookie.read(request));
  } catch (error) {
    if (hasCode(error, "unauthorized")) return null;
    throw error;
  }
}
