import { randomBytes } from "@noble/hashes/utils.js";
import { processWide } from "../../async/process-wide.ts";
import {
  chainIdOf,
  fitNetwork,
  isChainId,
  isNetworkName,
  MAINNET_CHAIN_ID,
  networkNames,
} from "../../chains.ts";
import { isAccountName } from "../../hive/account-name.ts";
import { parseMils } from "../../mils.ts";
import { assertKnown, isWebAddress } from "../check-options.ts";
import {
  type Discoverable,
  describeResource,
  type ResourceDescription,
} from "../discovery/describe-resource.ts";
import { readServiceMetadata, type ServiceMetadata } from "../discovery/service-metadata.ts";
import { openPaymentStore } from "../facilitator/payment-store.ts";
import { createMemoryStore } from "../memory-store.ts";
import { createOfferSigner, type OfferSigner, type SigningOptions } from "../offer-receipt/signer.ts";
import type { Refunds } from "../refunds/paced-refunds.ts";
import type { Facilitator } from "../types.ts";
import { type AccessOptions, readAccessSeconds } from "./access-options.ts";
import { type ClaimStore, createMemoryClaimStore } from "./claim-store.ts";
import { createFacilitatorClient, type FacilitatorCalls, guardFacilitator } from "./facilitator-client.ts";
import { createPageChain, type PageChainSource } from "./page-chain.ts";
import type { PaymentFlow } from "./payment-flow.ts";
import { type PageLanguage, pageTexts } from "./payment-page-texts.ts";
import { createTransferSupport } from "./transfer-support.ts";

const TIMEOUT_MS = 10_000;
const MAX_DESCRIPTION = 500;

/** The options of every paywall; `Request` is the adapter's request. */
export type PaywallOptions<Request = unknown> = {
  /** The price, such as "0.050 HBD", or a function that returns it for a request. */
  amount: string | ((request: Request) => string | Promise<string>);
  /**
   * The account that is paid, or a function that returns it for a request. A payment is tied to method and
   * address, so account and amount must depend on these, not on the body.
   */
  receivingAccount: string | ((request: Request) => string | Promise<string>);
  /** Address of a facilitator; alternatively set `facilitator` to one in this process. */
  facilitatorUrl?: string;
  facilitator?: Facilitator;
  /** A description of the goods for people, up to 500 characters. */
  description?: string;
  mimeType?: string;
  /**
   * Name of the chain in the requirements, if `chainId` is not given or has several names (default
   * `chain:mainnet`; payments can use the other names).
   */
  network?: string;
  /** Id of the chain, from which its name follows (default: that of `network`, or else the main chain's). */
  chainId?: string;
  /**
   * The store of deliveries; all servers of one resource must share it. Alternatively set a Redis server
   * (`redisUrl`) or a folder for a SQLite file (`dataDir`). The default is the memory of this process, which
   * a restart loses.
   */
  store?: ClaimStore;
  redisUrl?: string;
  dataDir?: string;
  /**
   * Key of the offered nonces; all servers of one resource must share it. By default it is random, and
   * the same for all paywalls of a process.
   */
  secret?: string | Uint8Array;
  /** Another key whose nonces and claims are recognized while the secret is being replaced. */
  previousSecret?: string | Uint8Array;
  /** With `require`, payments must use the offered nonce; with `prefer` (default), they can use their own. */
  binding?: "require" | "prefer";
  /**
   * The order of payment and work. `upfront` (default): a payment is settled, then the handler runs.
   * `authorization`: the handler runs for a verified payment, which is settled before the content is sent,
   * and costs nothing if the handler throws or answers 400 or above; content is held back until its end, up
   * to 1 MiB.
   */
  paymentFlow?: PaymentFlow;
  /**
   * Offers to pay by a transfer that the payer's wallet sends itself, with a memo (default false). Requires
   * `secret` and a store, which recognize payers after a restart. Not offered while the facilitator lists no such payments.
   */
  transfers?: boolean;
  /**
   * Sends wrong transfers back at once, from `createRefunds` of `hivegate/refunds` for the receiving account. Without
   * it, they are written into the seller's books only.
   */
  refunds?: Pick<Refunds, "account" | "giveBack">;
  /** The point from which a payment counts: in a block (default), or in one that no fork can undo. */
  finality?: "included" | "irreversible";
  /** Timeout of one call to the facilitator (default 10000). */
  timeoutMs?: number;
  /** The address at which clients reach this server, if it differs from the one in requests. */
  publicUrl?: string;
  /**
   * Chain nodes from which the payment page reads the chain's time, and this server the posting keys of
   * returning accounts (default: public ones of the main chain; for others, those that the facilitator
   * lists).
   */
  nodes?: readonly string[];
  /**
   * The language of the payment page in a browser, or a function that returns that of a request (`null`: the
   * browser's). By default, the supported language that the browser prefers.
   */
  language?: PageLanguage | ((request: Request) => PageLanguage | null | undefined);
  /**
   * Lets payers return without paying again, as long as the store has the purchase. They are recognized by
   * `account`, or by a signature of their posting key, which requires `publicUrl` unless the request is to this
   * machine.
   */
  access?: AccessOptions<Request>;
  /**
   * Describes the resource's input and output, and lets the facilitator list it in its catalogue once it was paid for.
   * Without this option, it is not listed.
   */
  discoverable?: Discoverable;
  /** Signs offers and receipts, by the extension `offer-receipt` (default: none is signed). */
  signing?: SigningOptions;
};

const known = {
  amount: true,
  receivingAccount: true,
  facilitatorUrl: true,
  facilitator: true,
  description: true,
  mimeType: true,
  network: true,
  chainId: true,
  store: true,
  redisUrl: true,
  dataDir: true,
  secret: true,
  previousSecret: true,
  binding: true,
  paymentFlow: true,
  transfers: true,
  refunds: true,
  finality: true,
  timeoutMs: true,
  publicUrl: true,
  nodes: true,
  language: true,
  access: true,
  discoverable: true,
  signing: true,
} as const satisfies Record<keyof PaywallOptions, true>;

/** The options with all defaults filled in. */
export type PaywallSettings<Request = unknown> = Readonly<{
  amount: PaywallOptions<Request>["amount"];
  payTo: PaywallOptions<Request>["receivingAccount"];
  facilitator: FacilitatorCalls;
  description: string | undefined;
  mimeType: string | undefined;
  network: string;
  /** Every name that a payment can use for the chain. */
  networks: readonly string[];
  /** Null if only an ambiguous name was given. */
  chainId: string | null;
  store: ClaimStore;
  /** The store of used sign-ins. In memory it is separate, so that sign-ins displace no claims. */
  usedNonces: ClaimStore;
  /** The store of answers that may be sent again. In memory it is separate and small. */
  answers: ClaimStore;
  /**
   * Returns the secrets, the first of which creates nonces; each recognizes its own. Call it while serving a
   * request, because Workers create no random bytes earlier.
   */
  secrets: () => readonly [Uint8Array, ...Uint8Array[]];
  binding: "require" | "prefer";
  paymentFlow: PaymentFlow;
  /** Returns whether to offer payments by sent transfers. Never rejects. */
  offersTransfers: () => Promise<boolean>;
  refunds: PaywallOptions["refunds"];
  finality: "included" | "irreversible" | undefined;
  publicUrl: string | undefined;
  pageChain: PageChainSource;
  language: PaywallOptions<Request>["language"];
  access: (Omit<AccessOptions<Request>, "for"> & { seconds: number }) | null;
  /** The description by request method, or `null` if the resource is not to be listed. */
  describe: ResourceDescription | null;
  /** The service to name beside the description, if its seller does. */
  service: ServiceMetadata | null;
  /** Signs offers and receipts, if the seller has a key for that. */
  signer: OfferSigner | null;
}>;

/** The default secret is one per process, so that its paywalls recognize each other's nonces. */
const processSecret = () => processWide("x402.offers", () => randomBytes(32));
/**
 * The default store is one per process, so that a payment that one paywall has delivered opens none of the
 * others.
 */
const processClaims = () => processWide("x402.claims", createMemoryClaimStore);
const processNonces = () => processWide("x402.sign-ins", () => createMemoryStore());
/** Apart from the claims, which answers must not displace; an answer of 64 KiB takes 90 KB and two entries. */
const processAnswers = () => processWide("x402.answers", () => createMemoryStore(undefined, 512));

/**
 * Checks the options once, when the paywall is created.
 * @throws TypeError that names the invalid option
 */
export function readOptions<Request>(options: PaywallOptions<Request>): PaywallSettings<Request> {
  assertKnown(options, known);
  const { amount, receivingAccount, timeoutMs = TIMEOUT_MS, description } = options;
  if (typeof amount !== "function" && !isPrice(amount))
    throw new TypeError('amount must be text such as "0.050 HBD", or a function');
  if (typeof receivingAccount !== "function" && !isAccountName(receivingAccount))
    throw new TypeError("receivingAccount must be a chain account name, or a function");
  if ((description?.length ?? 0) > MAX_DESCRIPTION)
    throw new TypeError(`description must have at most ${MAX_DESCRIPTION} characters`);
  if (!(timeoutMs > 0)) throw new TypeError("timeoutMs must be positive");
  // Callers without types who misspell one of these values would sell on looser terms than they think.
  const { binding = "prefer", paymentFlow = "upfront", finality, secret } = options;
  if (binding !== "require" && binding !== "prefer") throw new TypeError("binding must be require or prefer");
  if (paymentFlow !== "upfront" && paymentFlow !== "authorization")
    throw new TypeError("paymentFlow must be upfront or authorization");
  if (finality !== undefined && finality !== "included" && finality !== "irreversible")
    throw new TypeError("finality must be included or irreversible");
  const { previousSecret, language, transfers = false } = options;
  if (typeof transfers !== "boolean") throw new TypeError("transfers must be true or false");
  if (language !== undefined && typeof language !== "function" && !Object.hasOwn(pageTexts, language))
    throw new TypeError('language must be "en" or "es", or a function');
  if (secret?.length === 0 || previousSecret?.length === 0)
    throw new TypeError("secret and previousSecret must not be empty");
  const isForgetful = secret === undefined || !hasStore(options);
  if (transfers && isForgetful)
    throw new TypeError(
      "transfers requires secret, and one of store, redisUrl and dataDir: without them, a restart forgets who has paid",
    );
  const former = previousSecret === undefined ? [] : [bytesOf(previousSecret)];
  const chain = readNetwork(options);
  const facilitator = facilitatorOf(options, timeoutMs);
  for (const address of [...(options.nodes ?? []), options.publicUrl ?? "http://localhost"])
    if (!isWebAddress(address)) throw new TypeError("nodes and publicUrl must be addresses");
  return {
    amount,
    payTo: receivingAccount,
    facilitator,
    description,
    mimeType: options.mimeType,
    ...chain,
    ...storesOf(options),
    secrets: () => [bytesOf(secret ?? processSecret()), ...former],
    binding,
    paymentFlow,
    offersTransfers: transfers
      ? createTransferSupport({ ...chain, isOwn: options.facilitator !== undefined }, facilitator)
      : async () => false,
    refunds: options.refunds,
    finality,
    publicUrl: options.publicUrl,
    pageChain: createPageChain({ ...chain, nodes: options.nodes }, facilitator),
    language,
    access: accessOf(options),
    describe: options.discoverable ? describeResource(options.discoverable) : null,
    service: options.discoverable ? readServiceMetadata(options.discoverable) : null,
    signer: options.signing ? createOfferSigner(options.signing) : null,
  };
}

function accessOf<Request>({ access, amount }: PaywallOptions<Request>): PaywallSettings<Request>["access"] {
  if (access === undefined) return null;
  const { for: text, ...rest } = access;
  const seconds = readAccessSeconds(text);
  if (seconds === null) throw new TypeError('access.for must be text such as "30d", "12h" or "90m"');
  if (access.account !== undefined && typeof access.account !== "function")
    throw new TypeError("access.account must be a function");
  if (access.key === undefined && typeof amount === "function")
    throw new TypeError(
      "access.key is required if amount is a function: pass a string, or a function of the request, that names what the amount is for",
    );
  if (access.key !== undefined && typeof access.key !== "function" && !isText(access.key))
    throw new TypeError("access.key must be a string or a function");
  return { ...rest, seconds };
}

const isText = (value: unknown) => typeof value === "string" && value !== "";

const bytesOf = (secret: string | Uint8Array) =>
  typeof secret === "string" ? new TextEncoder().encode(secret) : secret;

/** Returns whether a text is an amount that can be paid. */
export function isPrice(amount: string): boolean {
  return typeof amount === "string" && (parseMils(amount) ?? 0) > 0;
}

/** Returns the chain that the options name, by id or by one of its names. */
function readNetwork({
  chainId,
  network,
}: PaywallOptions<never>): Pick<PaywallSettings, "chainId" | "network" | "networks"> {
  if (network !== undefined && !isNetworkName(network))
    throw new TypeError("network must be a chain's name such as chain:mainnet");
  const id = chainId ?? (network === undefined ? MAINNET_CHAIN_ID : chainIdOf(network));
  if (id === null) return { chainId: null, network: network as string, networks: [network as string] };
  if (!isChainId(id)) throw new TypeError("chainId must be 64 hex digits");
  return { chainId: id, network: fitNetwork(network, id), networks: networkNames(id) };
}

const hasStore = ({
  store,
  redisUrl,
  dataDir,
}: Pick<PaywallOptions<never>, "store" | "redisUrl" | "dataDir">) =>
  [store, redisUrl, dataDir].some((place) => place !== undefined);

function storesOf({
  store: given,
  redisUrl,
  dataDir,
}: PaywallOptions<never>): Pick<PaywallSettings, "store" | "usedNonces" | "answers"> {
  if ([given, redisUrl, dataDir].filter((place) => place !== undefined).length > 1)
    throw new TypeError("pass only one of store, redisUrl and dataDir");
  if (!hasStore({ store: given, redisUrl, dataDir }))
    return { store: processClaims(), usedNonces: processNonces(), answers: processAnswers() };
  const store = given ?? openPaymentStore({ redisUrl, dataDir: dataDir ?? "." });
  return { store, usedNonces: store, answers: store };
}

function facilitatorOf(
  { facilitator, facilitatorUrl }: PaywallOptions<never>,
  timeoutMs: number,
): FacilitatorCalls {
  if (facilitator && facilitatorUrl !== undefined)
    throw new TypeError("pass either facilitator or facilitatorUrl");
  if (facilitator) return guardFacilitator(facilitator, timeoutMs);
  if (facilitatorUrl === undefined || !isWebAddress(facilitatorUrl))
    throw new TypeError("facilitatorUrl must be an address");
  return createFacilitatorClient(facilitatorUrl, timeoutMs);
}
