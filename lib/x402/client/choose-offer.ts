import { readJson } from "../../async/read-body.ts";
import { isNetworkName, MAINNET_CHAIN_ID, networkNames, SANDBOX_CHAIN_ID } from "../../chains.ts";
import { isAccountName } from "../../hive/account-name.ts";
import { formatMillis, isOtherCoin, parseMillis } from "../amount.ts";
import { isWebAddress, readIsoTime } from "../check-options.ts";
import { decodeBase64Json, HEADER_PAYMENT, HEADER_V2_REQUIRED, isNonce } from "../header.ts";
import type { PaymentRequirements } from "../types.ts";
import { type ChainOptions, readChain } from "./chain.ts";
import { PaymentError, type PaymentOffer } from "./payment-error.ts";

const MAX_HEADER_CHARACTERS = 65_536;
const MAX_OFFERS = 50;

/**
 * Returns the entries of `accepts` as the server sent them, from the body of a 402 answer or else from its headers;
 * there may be none. Pure version 2 servers send them in `payment-required`.
 */
export async function readOffers(response: Response): Promise<unknown[]> {
  const fromBody = acceptsOf(await readJson(response));
  if (fromBody.length > 0) return fromBody;
  const [offers = []] = [HEADER_PAYMENT, HEADER_V2_REQUIRED]
    .map((name) => acceptsOf(readHeader(response.headers.get(name))))
    .filter(({ length }) => length > 0);
  return offers;
}

/** Returns whether a 402 answer reports that its payment was used before. The answer stays readable. */
export const saysReplayed = async (response: Response): Promise<boolean> =>
  (await readCode(response)) === "payment_replayed";

/** Returns whether a refusal finds no fault with the payment itself: it is used up, or no reason is given. */
export async function findsNoFault(response: Response): Promise<boolean> {
  const code = await readCode(response);
  return code === undefined || code === "payment_replayed" || code === "payment_required";
}

async function readCode(response: Response): Promise<unknown> {
  const answer = (await readJson(response.clone())) as { code?: unknown } | null;
  return answer?.code;
}

function acceptsOf(value: unknown): unknown[] {
  const accepts = (value as { accepts?: unknown } | null | undefined)?.accepts;
  return Array.isArray(accepts) ? accepts.slice(0, MAX_OFFERS) : [];
}

function readHeader(text: string | null): unknown {
  try {
    return text === null ? null : decodeBase64Json(text, MAX_HEADER_CHARACTERS);
  } catch {
    // A foreign header counts as missing.
    return null;
  }
}

/**
 * Reads a 402 answer and returns its first offer of an HBD payment on a supported network (of the main chain and of a
 * sandbox, unless `chain` selects another). The answer's own body stays unread.
 * @throws PaymentError if there is no such offer; TypeError for an invalid `chain`
 * @example const requirements = await parseRequirements(await fetch("https://shop.example/article"));
 */
export async function parseRequirements(
  response: Response,
  chain?: Pick<ChainOptions, "chainId" | "network">,
): Promise<PaymentRequirements> {
  const entries = await readOffers(response.bodyUsed ? response : response.clone());
  const [offer] = allowedOffers(entries, {
    account: "",
    networks: chain
      ? readChain(chain).networks
      : [...networkNames(MAINNET_CHAIN_ID), ...networkNames(SANDBOX_CHAIN_ID)],
    maxMillis: Number.POSITIVE_INFINITY,
    allowedPayees: undefined,
  });
  // `allowedOffers` throws rather than return none.
  return (offer as NonNullable<typeof offer>).requirements;
}

/** The payer's rules, apart from time and budget. */
export type OfferRules = {
  account: string;
  networks: readonly string[];
  maxMillis: number;
  allowedPayees: readonly string[] | undefined;
  /** Where the offer was found: it must be for a resource there, or on one of the other hosts. Any by default. */
  site?: { asked: URL; others: HostList };
};

/** An offer that may be paid, with its texts parsed. */
export type Offer = {
  requirements: PaymentRequirements;
  amountMillis: number;
  payTo: string;
  validBeforeMs: number;
  /** The server's proposal for the memo. */
  nonce: string | undefined;
};

/**
 * Returns the offers that the rules allow, in the server's order.
 * @throws PaymentError if none is allowed, with the fault of the first offer for this chain, or else of the first
 */
export function allowedOffers(entries: readonly unknown[], rules: OfferRules): Offer[] {
  const faults: PaymentError[] = [];
  const offers = entries.flatMap((entry) => {
    const offer = readOffer(entry, rules);
    if (!(offer instanceof PaymentError)) return [offer];
    faults.push(offer);
    return [];
  });
  if (offers.length > 0) return offers;
  throw (
    faults.find(({ code }) => code !== "unknown_network") ??
    faults[0] ??
    new PaymentError("no_offer", "The server asks for payment but makes no offer that can be read.")
  );
}

function readOffer(entry: unknown, rules: OfferRules): Offer | PaymentError {
  if (typeof entry !== "object" || entry === null)
    return new PaymentError("malformed_offer", "The offer is not an object.");
  const requirements = entry as PaymentRequirements & { asset?: unknown; amount?: unknown };
  const { network, scheme, payTo, maxAmountRequired, validBefore, asset } = requirements;
  if (!rules.networks.includes(network))
    return new PaymentError(
      "unknown_network",
      // A name of no known form is text that the server chose.
      `The offer is for ${isNetworkName(network) ? network : "a network that is none of Hive's"}, and this client pays on ${rules.networks.join(" or ")}.`,
    );
  if (scheme !== "exact")
    return new PaymentError("unknown_scheme", "This client does not know the way of paying of the offer.");
  const { x402Version, amount } = requirements;
  const isVersion2 = maxAmountRequired === undefined && amount !== undefined;
  if ((x402Version !== undefined && x402Version !== 1) || isVersion2)
    return new PaymentError("unknown_version", "The offer is of another version of the protocol.");

  const amountMillis = typeof maxAmountRequired === "string" ? parseMillis(maxAmountRequired) : null;
  if (amountMillis === null || amountMillis === 0 || (asset !== undefined && asset !== "HBD"))
    return isOtherAsset(maxAmountRequired, asset)
      ? new PaymentError("not_hbd", "The offer asks for something else than HBD.")
      : new PaymentError("malformed_offer", "The amount of the offer is malformed.");
  if (typeof payTo !== "string" || !isAccountName(payTo) || payTo === rules.account)
    return new PaymentError("malformed_offer", "The offer names no account that could be paid.");
  const validBeforeMs = typeof validBefore === "string" ? readIsoTime(validBefore) : null;
  if (validBeforeMs === null)
    return new PaymentError("malformed_offer", "The offer does not say until when it is valid.");
  const nonce = requirements.extra?.nonce;
  if (nonce !== undefined && (typeof nonce !== "string" || !isNonce(nonce)))
    return new PaymentError("malformed_offer", "The nonce of the offer is malformed.");

  const offer = { requirements, amountMillis, payTo, validBeforeMs, nonce };
  const terms = termsOf(offer);
  if (rules.allowedPayees && !rules.allowedPayees.includes(payTo))
    return new PaymentError("payee_not_allowed", "The offer is to an account that is not on the list.", {
      offer: terms,
    });
  if (rules.site && !isOffered(requirements.resource, rules.site))
    return new PaymentError(
      "resource_mismatch",
      "The offer is for a resource of another site than was asked.",
      {
        offer: terms,
        sites: { asked: rules.site.asked.host, named: hostIn(requirements.resource, rules.site.asked) },
      },
    );
  if (amountMillis > rules.maxMillis)
    return new PaymentError("over_limit", "The offer asks for more than the limit of one payment.", {
      offer: terms,
      limit: formatMillis(rules.maxMillis),
    });
  return offer;
}

/** Returns the terms of an offer, without any text that the server chose. */
export function termsOf({ amountMillis, payTo, requirements }: Offer): PaymentOffer {
  return { amount: formatMillis(amountMillis), payTo, network: requirements.network };
}

function hostIn(resource: unknown, asked: URL): string | null {
  if (typeof resource !== "string" || !URL.canParse(resource, asked)) return null;
  const { href, host } = new URL(resource, asked);
  return isWebAddress(href) ? host : null;
}

/** Some existing servers name only the path, and some nothing; then the resource cannot be elsewhere. */
function isOffered(resource: unknown, { asked, others }: NonNullable<OfferRules["site"]>): boolean {
  if (resource === undefined) return true;
  if (typeof resource !== "string" || !URL.canParse(resource, asked)) return false;
  const named = new URL(resource, asked);
  return isWebAddress(named.href) && (isSameSite(named, asked) || others.includes(named));
}

function isOtherAsset(amount: unknown, asset: unknown): boolean {
  const hasOtherSymbol = typeof amount === "string" && isOtherCoin(amount);
  return hasOtherSymbol || (typeof asset === "string" && asset !== "HBD");
}

/** Returns whether an address belongs to one of the hosts. */
export type HostList = { includes(url: URL): boolean };

/**
 * Parses hosts such as "shop.example", which includes every port, or "shop.example:8443", which includes only that one.
 * @throws TypeError naming the option `name` if it is not a list of hosts
 */
export function readHosts(hosts: readonly string[], name: string): HostList {
  if (!Array.isArray(hosts) || !hosts.every(isHost))
    throw new TypeError(`${name} must be a list of hosts such as "shop.example" or "shop.example:8443"`);
  const known = new Set(hosts.map((host) => host.toLowerCase()));
  return {
    includes({ hostname, protocol, port }) {
      const usual = protocol === "https:" ? "443" : "80";
      return known.has(hostname) || known.has(`${hostname}:${port || usual}`);
    },
  };
}

/** Returns whether two addresses belong to one site: the same host and port, whether or not a proxy terminates TLS. */
function isSameSite(one: URL, other: URL): boolean {
  return one.host === other.host;
}

function isHost(text: unknown): boolean {
  return typeof text === "string" && /^[^/\\?#@\s]+$/.test(text) && URL.canParse(`http://${text}/`);
}
