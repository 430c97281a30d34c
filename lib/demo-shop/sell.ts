import { processWide } from "../async/process-wide.ts";
import { currentConfig } from "../config.ts";
import { log } from "../log.ts";
import { deriveSecret } from "../secret.ts";
import { appFacilitator } from "../services/app-facilitator.ts";
import { requireStore, sharedStore } from "../services/shared-store.ts";
import { withPaywall } from "../x402/next.ts";
import type { PaywallOptions } from "../x402/paywall/index.ts";
import { ARTICLE_PRICE } from "./content/articles.ts";

/** What is asked for, and whom to pay; an article of the shop unless told otherwise. */
type Terms = Pick<PaywallOptions<Request>, "description"> &
  Partial<Pick<PaywallOptions<Request>, "amount" | "receivingAccount">>;

const SELLER = "shop";

type Sold<C> = (
  request: Request,
  context: C & { payer: string; txId: string },
) => Response | Promise<Response>;

/** Puts a handler of this app behind its own paywall; made with the first request, because settings are read then. */
export function sell<C extends object>(key: string, terms: Terms, handler: Sold<C>) {
  return async (request: Request, context: C): Promise<Response> => {
    // Told before anybody is asked to pay.
    await requireStore();
    const guarded = processWide(`paywall.${key}`, () =>
      withPaywall<Request, C>({ ...commonTerms(), ...terms, mimeType: "application/json" }, handler),
    );
    return guarded(request, context);
  };
}

function commonTerms() {
  const { hive, x402, sessionSecret, sandbox, publicUrl } = currentConfig();
  return {
    amount: ARTICLE_PRICE,
    receivingAccount: SELLER,
    network: x402.network,
    chainId: hive.chainId,
    nodes: hive.nodes,
    store: sharedStore(),
    secret: deriveSecret(sessionSecret, "x402 offers"),
    // On the sandbox the address is whatever the visitor typed.
    ...(!sandbox && { publicUrl }),
    ...(x402.facilitatorUrl ? { facilitatorUrl: x402.facilitatorUrl } : { facilitator: ownFacilitator }),
    onFault: (error: unknown) => log().error({ err: error }, "paid handler failed"),
  };
}

const ownFacilitator: NonNullable<PaywallOptions["facilitator"]> = {
  verify: (request) => appFacilitator().facilitator.verify(request),
  settle: (request, options) => appFacilitator().facilitator.settle(request, options),
};
