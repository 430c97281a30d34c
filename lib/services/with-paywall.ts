import { gatewayErrorResponse } from "../http/error-response.ts";
import { assertRequested } from "../x402/assert-requested.ts";
import {
  withPaywall as guard,
  type PaidRoute,
  type RouteContext,
  type WithPaywallOptions,
} from "../x402/next.ts";
import type { AccessOptions } from "../x402/paywall/access-options.ts";
import { accountOf, paywallTerms } from "./paywall-terms.ts";
import { processServices } from "./process-services.ts";
import type { Services } from "./services.ts";

type Terms<R extends Request> = Pick<
  WithPaywallOptions<R>,
  "amount" | "description" | "mimeType" | "paymentFlow" | "finality"
> & {
  /** The account that is paid; `PAYWALL_ACCOUNT` by default. */
  receivingAccount?: WithPaywallOptions<R>["receivingAccount"];
  /** Lets payers return without paying again: for how long, and under which name the purchase is stored. */
  access?: Pick<AccessOptions<R>, "for" | "key">;
};

/**
 * Puts a route handler of this app behind a paywall with a price and, optionally, a payee. Facilitator, chain,
 * store, secret, public address, nodes and signing key are the app's. If the store cannot be opened, the route
 * answers 503 before anyone pays.
 * @example export const GET = withPaywall({ amount: "0.050 HBD" }, (_request, { payer }) => Response.json({ payer }));
 */
export function withPaywall<R extends Request = Request, C extends object = RouteContext>(
  { receivingAccount, access, ...terms }: Terms<R>,
  handler: Parameters<typeof guard<R, C>>[1],
): PaidRoute<R, C> {
  const made = new WeakMap<Services, PaidRoute<R, C>>();

  function guardedBy(services: Services): PaidRoute<R, C> {
    const present = made.get(services);
    if (present) return present;
    const payee = receivingAccount ?? services.config.x402.account;
    if (payee === null)
      throw new TypeError("no account is paid: set PAYWALL_ACCOUNT, or pass receivingAccount to the route");
    const route = guard<R, C>(
      {
        ...paywallTerms<R>(services),
        ...terms,
        receivingAccount: payee,
        ...(access && { access: { ...access, account: (request: R) => accountOf(services, request) } }),
      },
      handler,
    );
    made.set(services, route);
    return route;
  }

  return async (request: R, context?: C) => {
    // Before the settings are read, which a build lacks.
    assertRequested(request);
    const services = processServices();
    let route: PaidRoute<R, C>;
    try {
      await services.requireStore();
      route = guardedBy(services);
    } catch (error) {
      const facts = { headers: request.headers, method: request.method, origins: services.http };
      return gatewayErrorResponse(error, facts, { route: "paid" });
    }
    return context === undefined ? route(request) : route(request, context);
  };
}
