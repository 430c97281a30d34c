import { isAccountName } from "../../hive/account-name.ts";
import { UNLIMITED } from "../../mils.ts";
import { assertKnown, readAmountOption } from "../check-options.ts";
import { type HostList, readHosts } from "../hosts.ts";
import type { BudgetStore } from "./budget-store.ts";
import { type Chain, type ChainOptions, toChain } from "./chain.ts";
import type { OfferRules } from "./choose-offer.ts";
import type { Budget, BudgetLimits } from "./day-book.ts";
import type { OnPayment } from "./made-payment.ts";
import { createMessageSigner, type MessageSigner } from "./message-signer.ts";
import type { OfferToApprove } from "./quote.ts";
import { readSignedOfferRules, type SignedOfferRules } from "./signed-offer-rules.ts";
import { type Signer, signingOptions } from "./signer.ts";
import type { SendTransfer } from "./transfer-sender.ts";

const MAX_PAYMENT = "1.000 HBD";

/** A wallet that sends transfers instead of signing them. */
type Sender = {
  /**
   * Sends a transfer, and returns the id of its transaction, or `null` if nothing was sent. If it rejects, the transfer
   * counts as sent. Only servers that offer payment by sent transfers can be paid.
   */
  sendTransfer: SendTransfer;
  activeKey?: undefined;
  signTransaction?: undefined;
};

/** The options of everything that pays within limits. */
export type PayerOptions = ((Signer & { sendTransfer?: undefined }) | Sender) &
  ChainOptions & {
    account: string;
    /** Limit for one request (default "1.000 HBD"). */
    maxPayment?: string;
    budget?: Budget;
    /**
     * Called before a payment is signed, once limits and budget allow it. Any result except `true` causes
     * PaymentError `not_approved`. A payment that is sent again needs no new approval.
     */
    approve?: (offer: OfferToApprove) => boolean | Promise<boolean>;
    /** Called with every payment once it is answered, for bookkeeping. */
    onPayment?: OnPayment;
    /** Hosts ("shop.example" or "shop.example:8443") that the client is allowed to pay; any by default. */
    allowedHosts?: readonly string[];
    /**
     * Hosts that an offer's `resource` is allowed to name in addition to the requested one, for instance if a
     * server behind a proxy does not know its public name. None by default, so that no site can sell another
     * site's page.
     */
    allowedResourceHosts?: readonly string[];
    /** Accounts that the client is allowed to pay; any by default. */
    allowedPayees?: readonly string[];
    /**
     * True to pay servers of version 2 that settle before they serve the request (default false): if they
     * then fail, the money is gone. Version 1 does not say when a server settles, and is paid either way.
     */
    allowUpfront?: boolean;
    /**
     * Verifies signed offers and receipts, by the extension `offer-receipt`; by default they are ignored. A signed
     * receipt reaches `onPayment`.
     */
    signedOffers?: SignedOfferRules;
  };

export type PayingFetchOptions = PayerOptions &
  MessageSigner & {
    /** The function that sends the requests (default: the global `fetch`). */
    fetch?: typeof fetch;
  };

const known = {
  ...signingOptions,
  sendTransfer: true,
  allowUpfront: true,
  maxPayment: true,
  budget: true,
  approve: true,
  onPayment: true,
  allowedHosts: true,
  allowedResourceHosts: true,
  allowedPayees: true,
  signedOffers: true,
} as const satisfies Record<keyof PayerOptions, true>;
const knownToFetch = { ...known, fetch: true, postingKey: true, signMessage: true } as const satisfies Record<
  keyof PayingFetchOptions,
  true
>;
const knownBudgets = { perHost: true, perDay: true, store: true } as const satisfies Record<
  keyof Budget,
  true
>;

/** The options with all defaults filled in. */
export type PayerSettings = {
  chain: Chain;
  rules: OfferRules;
  limits: BudgetLimits;
  /** The store of the budget and of the payments under way, if the caller has one. */
  store: BudgetStore | undefined;
  /** The wallet, if it sends transfers instead of signing them. */
  sendTransfer: SendTransfer | undefined;
  approve: PayerOptions["approve"];
  onPayment: OnPayment | undefined;
  /** The hosts that the client is allowed to pay; `null` for any. */
  hosts: HostList | null;
  resourceHosts: HostList;
  /** The rules for signatures of sellers; `null` ignores signatures. */
  signedOffers: SignedOfferRules | null;
};

/**
 * Checks the options once, when the client is created.
 * @throws TypeError that names the invalid option
 */
export function readOptions(options: PayerOptions): PayerSettings {
  assertKnown(options, known);
  const {
    account,
    allowedHosts,
    allowedPayees,
    allowUpfront = false,
    approve,
    budget = {},
    maxPayment = MAX_PAYMENT,
    onPayment,
  } = options;
  assertKnown(budget, knownBudgets, "budget");
  if (!isAccountName(account)) throw new TypeError("account must be a chain account name");
  // If `allowedPayees` were a string, `includes` would match any part of it.
  if (allowedPayees !== undefined && !(Array.isArray(allowedPayees) && allowedPayees.every(isAccountName)))
    throw new TypeError("allowedPayees must be a list of chain account names");
  if (approve !== undefined && typeof approve !== "function")
    throw new TypeError("approve must be a function");
  if (onPayment !== undefined && typeof onPayment !== "function")
    throw new TypeError("onPayment must be a function");
  if (typeof allowUpfront !== "boolean") throw new TypeError("allowUpfront must be true or false");
  const limitOf = (name: "perHost" | "perDay") =>
    budget[name] === undefined ? UNLIMITED : readAmountOption(budget[name], `budget.${name}`);
  const { sendTransfer } = options;
  if (sendTransfer !== undefined && typeof sendTransfer !== "function")
    throw new TypeError("sendTransfer must be a function");
  if (sendTransfer && (options.activeKey !== undefined || options.signTransaction !== undefined))
    throw new TypeError("pass only one of activeKey, signTransaction and sendTransfer");
  const chain = toChain(options);
  return {
    chain,
    sendTransfer,
    rules: {
      ...{ account, networks: chain.networks, maxMils: readAmountOption(maxPayment, "maxPayment") },
      ...{ allowedPayees, allowUpfront, method: sendTransfer ? "memo" : "default" },
    },
    limits: { perHost: limitOf("perHost"), perDay: limitOf("perDay") },
    store: budget.store,
    approve,
    onPayment,
    hosts: allowedHosts === undefined ? null : readHosts(allowedHosts, "allowedHosts"),
    resourceHosts: readHosts(options.allowedResourceHosts ?? [], "allowedResourceHosts"),
    signedOffers: options.signedOffers === undefined ? null : readSignedOfferRules(options.signedOffers),
  };
}

/**
 * Returns the function that sends the requests, the function that signs texts (if there is one), and the
 * other options.
 * @throws TypeError that names the invalid option
 */
export function readFetcher(options: PayingFetchOptions): {
  fetcher: typeof fetch;
  signMessage: ReturnType<typeof createMessageSigner>;
  rest: PayerOptions;
} {
  assertKnown(options, knownToFetch);
  const { fetch: fetcher = (input, init) => fetch(input, init), postingKey, signMessage, ...rest } = options;
  if (typeof fetcher !== "function") throw new TypeError("fetch must be a function");
  return { fetcher, signMessage: createMessageSigner({ postingKey, signMessage }), rest };
}
