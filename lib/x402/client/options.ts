import { isAccountName } from "../../hive/account-name.ts";
import { type Amount, amountToMillis } from "../amount.ts";
import { assertKnown } from "../check-options.ts";
import { type Chain, type ChainOptions, toChain } from "./chain.ts";
import { type HostList, type OfferRules, readHosts } from "./choose-offer.ts";
import type { Budget } from "./day-book.ts";
import type { OnPayment } from "./made-payment.ts";
import type { PaymentOffer } from "./payment-error.ts";
import { type Signer, signingOptions } from "./signer.ts";

const MAX_PAYMENT = "1.000 HBD";

/** An offer that is about to be paid. `description` is text that the server chose. */
export type OfferToApprove = PaymentOffer & { url: string; description: string | undefined };

export type PayingFetchOptions = Signer &
  ChainOptions & {
    account: string;
    /** Limit for one request (default "1.000 HBD"). */
    maxPayment?: Amount;
    budget?: Budget;
    /**
     * Asked before a payment is signed, once limits and budget allow it. Any result but `true` is PaymentError
     * `not_approved`. A payment that is sent again needs no new approval.
     */
    approve?: (offer: OfferToApprove) => boolean | Promise<boolean>;
    /** Called with every payment once it is answered, for bookkeeping. */
    onPayment?: OnPayment;
    /** Hosts ("shop.example" or "shop.example:8443") that may be paid; any by default. */
    allowedHosts?: readonly string[];
    /**
     * Hosts that an offer's `resource` may name besides the requested one, for instance if a server behind a proxy does
     * not know its public name. None by default, so that no site sells the page of another.
     */
    allowedResourceHosts?: readonly string[];
    /** Accounts that may be paid; any by default. */
    allowedPayees?: readonly string[];
    /** The function that sends the requests (default: the global `fetch`). */
    fetch?: typeof fetch;
  };

const known = {
  ...signingOptions,
  maxPayment: true,
  budget: true,
  approve: true,
  onPayment: true,
  allowedHosts: true,
  allowedResourceHosts: true,
  allowedPayees: true,
  fetch: true,
} as const satisfies Record<keyof PayingFetchOptions, true>;
const knownBudgets = { perHost: true, perDay: true, store: true } as const satisfies Record<
  keyof Budget,
  true
>;

/** The options with every default in place. */
export type PayingFetchSettings = {
  chain: Chain;
  rules: OfferRules;
  budget: Budget;
  approve: PayingFetchOptions["approve"];
  onPayment: OnPayment | undefined;
  /** The hosts that may be paid; `null` for any. */
  hosts: HostList | null;
  resourceHosts: HostList;
  fetcher: typeof fetch;
};

/**
 * Checks the options once, at the start.
 * @throws TypeError or RangeError naming the invalid option
 */
export function readOptions(options: PayingFetchOptions): PayingFetchSettings {
  assertKnown(options, known);
  const {
    account,
    allowedHosts,
    allowedPayees,
    approve,
    budget = {},
    maxPayment = MAX_PAYMENT,
    onPayment,
  } = options;
  assertKnown(budget, knownBudgets, "budget");
  if (!isAccountName(account)) throw new TypeError("account must be a chain account name");
  // On a string, `includes` would match any part of it.
  if (allowedPayees !== undefined && !(Array.isArray(allowedPayees) && allowedPayees.every(isAccountName)))
    throw new TypeError("allowedPayees must be a list of chain account names");
  if (approve !== undefined && typeof approve !== "function")
    throw new TypeError("approve must be a function");
  if (onPayment !== undefined && typeof onPayment !== "function")
    throw new TypeError("onPayment must be a function");
  if (options.fetch !== undefined && typeof options.fetch !== "function")
    throw new TypeError("fetch must be a function");
  for (const name of ["perHost", "perDay"] as const)
    if (budget[name] !== undefined) readHbd(budget[name], `budget.${name}`);
  const chain = toChain(options);
  return {
    chain,
    rules: { account, networks: chain.networks, maxMillis: readHbd(maxPayment, "maxPayment"), allowedPayees },
    budget,
    approve,
    onPayment,
    hosts: allowedHosts === undefined ? null : readHosts(allowedHosts, "allowedHosts"),
    resourceHosts: readHosts(options.allowedResourceHosts ?? [], "allowedResourceHosts"),
    fetcher: options.fetch ?? ((input, init) => fetch(input, init)),
  };
}

function readHbd(amount: Amount, name: string): number {
  try {
    return amountToMillis(amount);
  } catch (cause) {
    throw new RangeError(`${name} must be an amount such as "0.050 HBD"`, { cause });
  }
}
