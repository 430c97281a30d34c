import { isNetworkName } from "../../chains.ts";
import { isAccountName } from "../../hive/account-name.ts";
import { formatMils, type Mils, parseMils, UNLIMITED } from "../../mils.ts";
import { isOtherCoin, readAtomic } from "../amount.ts";
import { isWebAddress, readIsoTime } from "../check-options.ts";
import { BAZAAR } from "../discovery/bazaar.ts";
import { encodeBase64Json, HEADER_PAYMENT, HEADER_V2_PAYMENT, isNonce } from "../header.ts";
import type { HostList } from "../hosts.ts";
import { OFFER_RECEIPT } from "../offer-receipt/extension.ts";
import { isTicket, memoOfTicket } from "../ticket-memo.ts";
import type { PaymentRequirements, PaymentRequirementsV2, ResourceInfo } from "../types.ts";
import { asRecord } from "./as-record.ts";
import { PaymentError, type PaymentErrorCode, type PaymentOffer } from "./payment-error.ts";
import { type OfferEntry, versionOf } from "./read-offers.ts";

/** A payment of version 2 repeats its offer in a header, and servers accept 16 KB of headers in total. */
const MAX_REPEATED_CHARACTERS = 8192;

/**
 * An offer in the fields of version 1. In an offer of version 2, `validBefore` counts from the time of
 * reading by this machine's clock; the payment itself is signed by the chain's clock.
 */
export type ParsedRequirements = PaymentRequirements & {
  /** The parts that the payment repeats; only in offers of version 2. */
  version2?: {
    accepted: PaymentRequirementsV2;
    resource?: ResourceInfo;
    extensions?: Record<string, unknown>;
  };
};

/** The rules of callers that choose an offer themselves. */
export const anyTerms = {
  maxMils: UNLIMITED,
  allowedPayees: undefined,
  allowUpfront: true,
  method: "default",
} as const;

/** The payer's rules, apart from time and budget. */
export type OfferRules = {
  account: string;
  networks: readonly string[];
  maxMils: Mils;
  allowedPayees: readonly string[] | undefined;
  /** True to pay offers of version 2 that are settled before the server serves the request. */
  allowUpfront: boolean;
  /** The way to pay: `default` signs transfers, and `memo` sends them. */
  method: "default" | "memo";
  /**
   * The address where the offer was found: the offer must be for a resource there or on one of the other
   * hosts. Any by default.
   */
  site?: {
    asked: URL;
    others: HostList;
    /** True outside HTTP, where the name of a resource need not be a web address. */
    allowsNames?: boolean;
  };
};

/** An offer that the rules allow, with its texts parsed. */
export type Offer = {
  network: string;
  amountMils: Mils;
  payTo: string;
  /** The time when the offer ends, which offers of version 2 never do. */
  validBeforeMs: number;
  /** The maximum time for which its payment is valid; unlimited in version 1. */
  maxLifeMs: number;
  /** The server's suggested memo. */
  nonce: string | undefined;
  /** The memo and the secret, if the transfer is sent instead of signed. */
  sent: { memo: string; ticket: string } | undefined;
  /** The point at which the server settles: after serving the request, or before. Version 1 does not say. */
  flow: "authorization" | "upfront" | null;
  /** Text that the server chose. */
  description: string | undefined;
  /** The resource as the server names it, if it does. */
  resource: string | undefined;
  /** The extensions of the message with the offer. */
  extensions: unknown;
  sentAs: OfferEntry["sentAs"];
  /** The offer as the server sent it. */
  asSent:
    | { version: 1; requirements: PaymentRequirements }
    | ({ version: 2 } & NonNullable<ParsedRequirements["version2"]>);
};

/**
 * Returns the offers that the rules allow: first those of version 1, then those of version 2 that are settled
 * after serving the request, then the others, each in the server's order.
 * @throws PaymentError if none is allowed, with the fault of the first offer for this chain, or else of the
 * first offer
 */
export function allowedOffers(entries: readonly OfferEntry[], rules: OfferRules): [Offer, ...Offer[]] {
  const faults: PaymentError[] = [];
  const fitting = entries.filter(({ entry }) => methodOf(entry) === rules.method);
  // An offer to pay in another way says nothing about the others.
  const offers = (fitting.length > 0 ? fitting : entries).flatMap((entry) => {
    const offer = readOffer(entry, rules);
    if (!(offer instanceof PaymentError)) return [offer];
    faults.push(offer);
    return [];
  });
  const [first, ...others] = offers.sort((one, other) => rankOf(one) - rankOf(other));
  if (first) return [first, ...others];
  throw (
    faults.find(({ code }) => code !== "unknown_network") ??
    faults[0] ??
    new PaymentError("no_offer", "The server asks for payment but sends no readable offer.")
  );
}

const methodOf = (entry: unknown) => asRecord(asRecord(entry).extra).assetTransferMethod ?? "default";

const rankOf = ({ flow }: Offer) => [null, "authorization", "upfront"].indexOf(flow);

/**
 * Returns the offer that a caller has chosen. An offer of version 2 can have either form. @throws
 * PaymentError
 */
export function chosenOffer(
  requirements: ParsedRequirements | PaymentRequirementsV2,
  rules: OfferRules,
): Offer {
  const { version2 } = requirements as ParsedRequirements;
  const entry = version2
    ? { entry: version2.accepted, version: 2, ...version2, sentAs: HEADER_V2_PAYMENT }
    : { entry: requirements, version: namedVersion(requirements), sentAs: HEADER_PAYMENT };
  const [offer] = allowedOffers([entry as OfferEntry], rules);
  const { maxAmountRequired, payTo, network } = requirements as ParsedRequirements;
  const isChanged =
    offer.amountMils !== parseMils(maxAmountRequired) || offer.payTo !== payTo || offer.network !== network;
  if (version2 && isChanged)
    throw new PaymentError("malformed_offer", "The offer was changed after it was read.");
  return offer;
}

const namedVersion = (entry: unknown) => asRecord(entry).x402Version ?? versionOf(entry);

/** The parts of an offer that each version spells in its own way. */
type Terms = Pick<Offer, "amountMils" | "validBeforeMs" | "maxLifeMs" | "flow" | "description" | "asSent"> & {
  resource: unknown;
};

function readOffer(given: OfferEntry, rules: OfferRules): Offer | PaymentError {
  const { entry, version, sentAs } = given;
  if (typeof entry !== "object" || entry === null)
    return new PaymentError("malformed_offer", "The offer is not an object.");
  const { network, scheme, payTo, extra } = entry as Record<string, unknown>;
  if (typeof network !== "string" || !rules.networks.includes(network))
    return new PaymentError(
      "unknown_network",
      // A name in an unknown form is text that the server chose, so it is not repeated here.
      `The offer is for ${isNetworkName(network) ? network : "a network that is none of Hive's"}, and this client pays on ${rules.networks.join(" or ")}.`,
    );
  const { nonce, splits, memo, claim } = asRecord(extra);
  if (scheme !== "exact" || methodOf(entry) !== rules.method)
    return new PaymentError("unknown_scheme", "This client does not support the offer's payment scheme.");
  if (version !== 1 && version !== 2)
    return new PaymentError("unknown_version", "The offer uses another version of the protocol.");

  const terms = version === 1 ? readVersion1(entry as PaymentRequirements) : readVersion2(given);
  if (terms instanceof PaymentError) return terms;
  if (typeof payTo !== "string" || !isAccountName(payTo) || payTo === rules.account)
    return malformed("The offer names no account to pay.");
  if (nonce !== undefined && (typeof nonce !== "string" || !isNonce(nonce)))
    return malformed("The nonce of the offer is malformed.");
  const sent = rules.method === "memo" ? readSent(memo, claim) : undefined;
  if (sent === null) return malformed("The memo of the offer is not that of its claim.");
  const { resource, ...rest } = terms;
  const { extensions } = given;
  const offer: Offer = {
    ...{ ...rest, network, payTo, nonce, sent, resource: textOf(resource) },
    ...{ extensions, sentAs },
  };
  const refuse = (code: PaymentErrorCode, message: string, details = {}) =>
    new PaymentError(code, message, { offer: termsOf(offer), ...details });

  if (!isEmptyList(splits))
    return refuse("splits_not_supported", "The offer shares the payment between several accounts.");
  // A transfer that is sent is settled before the server does its work, in any case.
  if (offer.flow === "upfront" && !rules.allowUpfront && !sent)
    return refuse("flow_not_allowed", "The offer is settled before the server does its work.");
  if (rules.allowedPayees && !rules.allowedPayees.includes(payTo))
    return refuse("payee_not_allowed", "The offer pays an account that is not in allowedPayees.");
  if (rules.site && !isOffered(resource, rules.site))
    return refuse(
      "resource_mismatch",
      "The offer is for a resource of a site other than the requested one.",
      {
        sites: { asked: rules.site.asked.host, named: hostIn(resource, rules.site.asked) },
      },
    );
  if (offer.amountMils > rules.maxMils)
    return refuse("over_limit", "The offer asks for more than the limit per payment.", {
      limit: formatMils(rules.maxMils),
    });
  return offer;
}

/** Returns null unless the memo is that of the claim, because the claim is what opens the resource. */
function readSent(memo: unknown, claim: unknown): Offer["sent"] | null {
  if (typeof claim !== "string" || !isTicket(claim) || memo !== memoOfTicket(claim)) return null;
  return { memo, ticket: claim };
}

const malformed = (message: string) => new PaymentError("malformed_offer", message);

function readVersion1(requirements: PaymentRequirements): Terms | PaymentError {
  const { maxAmountRequired, validBefore, resource, description } = requirements;
  const { asset, amount } = requirements as { asset?: unknown; amount?: unknown };
  if (maxAmountRequired === undefined && amount !== undefined)
    return new PaymentError("unknown_version", "The offer has the form of another version than it names.");
  const amountMils = typeof maxAmountRequired === "string" ? parseMils(maxAmountRequired) : null;
  if (amountMils === null || amountMils === 0 || (asset !== undefined && asset !== "HBD"))
    return noAmount(maxAmountRequired, asset);
  const validBeforeMs = typeof validBefore === "string" ? readIsoTime(validBefore) : null;
  if (validBeforeMs === null) return malformed("The offer does not say how long it is valid.");
  return {
    ...{ amountMils, validBeforeMs, maxLifeMs: Number.POSITIVE_INFINITY, flow: null, resource },
    description: textOf(description),
    asSent: { version: 1, requirements },
  };
}

function readVersion2({ entry, resource, extensions }: OfferEntry): Terms | PaymentError {
  const accepted = entry as PaymentRequirementsV2;
  const { amount, asset, maxTimeoutSeconds } = accepted as Partial<
    Record<keyof PaymentRequirementsV2, unknown>
  >;
  const amountMils = typeof amount === "string" ? (readAtomic(amount) ?? parseMils(amount)) : null;
  if (amountMils === null || amountMils === 0 || (asset !== undefined && asset !== "HBD"))
    return noAmount(amount, asset);
  if (typeof maxTimeoutSeconds !== "number" || !(maxTimeoutSeconds > 0))
    return malformed("The offer does not say for how long it is valid.");
  const { paymentFlow: flow = "authorization" } = asRecord(accepted.extra);
  if (flow !== "authorization" && flow !== "upfront")
    return new PaymentError(
      "flow_not_allowed",
      "The offer is settled in an order that this client does not know.",
    );
  const { url, description } = asRecord(resource);
  const repeating = (repeated: Record<string, unknown>) => ({
    ...{ version: 2 as const, accepted },
    ...(url !== undefined && { resource: resource as ResourceInfo }),
    ...(Object.keys(repeated).length > 0 && { extensions: repeated }),
  });
  // Catalogues can do without a long description, and a seller without its own signatures, but not without the payment.
  const { [BAZAAR]: _long, ...signed } = asRecord(extensions);
  const { [OFFER_RECEIPT]: _offers, ...needed } = signed;
  const asSent = [asRecord(extensions), signed, needed].map(repeating).find(isShort);
  if (!asSent) return malformed("The offer is too long to be repeated with its payment.");
  return {
    ...{ amountMils, validBeforeMs: Number.POSITIVE_INFINITY, maxLifeMs: maxTimeoutSeconds * 1000, flow },
    ...{ resource: url, description: textOf(description), asSent },
  };
}

const isShort = (repeated: object) => encodeBase64Json(repeated).length <= MAX_REPEATED_CHARACTERS;

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);

const noAmount = (amount: unknown, asset: unknown) =>
  isOtherAsset(amount, asset)
    ? new PaymentError("not_hbd", "The offer asks for something other than HBD.")
    : malformed("The amount of the offer is malformed.");

function isEmptyList(splits: unknown): boolean {
  return splits === undefined || splits === null || (Array.isArray(splits) && splits.length === 0);
}

/** Returns an offer in the fields of version 1. */
export function toRequirements({ network, amountMils, payTo, maxLifeMs, asSent }: Offer): ParsedRequirements {
  if (asSent.version === 1) return asSent.requirements;
  const { version, ...version2 } = asSent;
  const { url = "", description, mimeType } = version2.resource ?? {};
  return {
    ...{ x402Version: version, scheme: "exact", network, maxAmountRequired: formatMils(amountMils) },
    ...{ resource: url, payTo, validBefore: new Date(Date.now() + maxLifeMs).toISOString() },
    ...(typeof description === "string" && { description }),
    ...(typeof mimeType === "string" && { mimeType }),
    ...(version2.accepted.extra && { extra: version2.accepted.extra }),
    version2,
  };
}

/** Returns the terms of an offer, without any text that the server chose. */
export function termsOf({
  amountMils,
  payTo,
  network,
}: Pick<Offer, "amountMils" | "payTo" | "network">): PaymentOffer {
  return { amount: formatMils(amountMils), payTo, network };
}

function hostIn(resource: unknown, asked: URL): string | null {
  if (typeof resource !== "string" || !URL.canParse(resource, asked)) return null;
  const { href, host } = new URL(resource, asked);
  return isWebAddress(href) ? host : null;
}

/**
 * Returns whether an offer's resource is on the requested site. Some existing servers name only the path and
 * some name nothing, in which case the resource cannot be elsewhere.
 */
export function isOffered(
  resource: unknown,
  { asked, others, allowsNames }: NonNullable<OfferRules["site"]>,
): boolean {
  if (resource === undefined) return true;
  if (typeof resource !== "string") return false;
  if (allowsNames && !isWebAddress(resource)) return true;
  if (!URL.canParse(resource, asked)) return false;
  const named = new URL(resource, asked);
  return isWebAddress(named.href) && (isSameSite(named, asked) || others.includes(named));
}

function isOtherAsset(amount: unknown, asset: unknown): boolean {
  const hasOtherSymbol = typeof amount === "string" && isOtherCoin(amount);
  return hasOtherSymbol || (typeof asset === "string" && asset !== "HBD");
}

/**
 * Returns whether two addresses belong to one site: the same host and port, whether or not a proxy terminates
 * TLS. Next writes every name of its machine as `localhost`.
 */
function isSameSite(one: URL, other: URL): boolean {
  return siteOf(one) === siteOf(other);
}

const ownMachine = ["127.0.0.1", "[::1]"];

const siteOf = ({ host, hostname, port }: URL) =>
  ownMachine.includes(hostname) ? `localhost:${port}` : host;
