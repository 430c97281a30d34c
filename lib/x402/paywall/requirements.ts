import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, randomBytes } from "@noble/hashes/utils.js";
import { chainIdOf, MAINNET_CAIP, MAINNET_CHAIN_ID } from "../../chains.ts";
import { parseMillis } from "../amount.ts";
import { isEqualBytes } from "../equal-bytes.ts";
import { encodeBase64Json, HEADER_PAYMENT, HEADER_V2_REQUIRED } from "../header.ts";
import type { PaymentRequired, PaymentRequirements } from "../types.ts";
import type { PaywallSettings } from "./options.ts";

const VALID_SECONDS = 300;
/** What both headers may hold: proxies refuse a head of some KB, nginx one of 4 by default, and it has other headers too. */
const MOST_HEADER_CHARACTERS = 2400;

/** What `settings` ask for a resource; `extra` holds the offered nonce, where there is one to offer. */
export function buildRequirements(
  settings: PaywallSettings<never>,
  given: {
    amount: string;
    payTo: string;
    /** The name of the chain in this entry. */
    network: string;
    resource: string;
    validBefore: string;
    extra?: Record<string, unknown>;
  },
): PaymentRequirements {
  const { description, mimeType } = settings;
  const { amount, payTo, network, resource, validBefore, extra } = given;
  return {
    x402Version: 1,
    scheme: "exact",
    network,
    maxAmountRequired: amount,
    resource,
    payTo,
    validBefore,
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(extra && { extra }),
  };
}

/** When an offer made at `offeredAtMs` expires, in ISO 8601. */
export function endOfOffer(offeredAtMs: number): string {
  return new Date(offeredAtMs + VALID_SECONDS * 1000).toISOString();
}

/**
 * The offer as headers: what existing Hive clients read, and version 2's form of the same, where a chain has one name and
 * stands once. Long texts stay in the body: first the description, and then the address but for its origin.
 */
export function offerHeaders(required: PaymentRequired): Array<[string, string]> {
  const forms = [required, withoutDescription(required), withoutTexts(required)];
  const [fullest] = forms.map(headersOf).filter(isShort);
  return fullest ?? headersOf(withoutTexts(required));
}

/** An offer as headers hold it; `url` stands for the address where the entries have none. */
type HeaderForm = Omit<PaymentRequired, "accepts"> & {
  accepts: Array<Partial<Pick<PaymentRequirements, "resource">> & Omit<PaymentRequirements, "resource">>;
  url?: string;
};

const isShort = (headers: Array<[string, string]>) =>
  headers.reduce((sum, [, value]) => sum + value.length, 0) <= MOST_HEADER_CHARACTERS;

function headersOf(required: HeaderForm): Array<[string, string]> {
  const { url, ...version1 } = required;
  const { accepts, error } = version1;
  const [first] = accepts;
  const version2 = {
    x402Version: 2,
    error,
    resource: { url: url ?? first?.resource, description: first?.description, mimeType: first?.mimeType },
    accepts: accepts.slice(0, 1).map(({ network, maxAmountRequired, payTo, extra }) => ({
      scheme: "exact",
      network: chainIdOf(network) === MAINNET_CHAIN_ID ? MAINNET_CAIP : network,
      // Version 2 counts in the smallest unit.
      amount: String(parseMillis(maxAmountRequired)),
      asset: "HBD",
      payTo,
      maxTimeoutSeconds: VALID_SECONDS,
      extra: { ...extra, paymentFlow: "upfront" },
    })),
  };
  return [
    [HEADER_PAYMENT, encodeBase64Json(version1)],
    [HEADER_V2_REQUIRED, encodeBase64Json(version2)],
  ];
}

const withoutDescription = (required: PaymentRequired): PaymentRequired => ({
  ...required,
  accepts: required.accepts.map(({ description: _long, ...offer }) => offer),
});

/** Version 1 can do without the address; version 2 gets the origin in its place. */
function withoutTexts(required: PaymentRequired): HeaderForm {
  const { resource = "" } = required.accepts[0] ?? {};
  return {
    ...required,
    accepts: required.accepts.map(
      ({ description: _long, mimeType: _kind, resource: _address, ...offer }) => offer,
    ),
    ...(URL.canParse(resource) && { url: `${new URL(resource).origin}/` }),
  };
}

const TIME_BYTES = 5;
const RANDOM_BYTES = 9;
const HEAD_BYTES = TIME_BYTES + RANDOM_BYTES;
const TAG_BYTES = 8;
const BOUND_BYTES = 14;
/** 36 bytes are 48 characters without padding. */
const shape = /^[A-Za-z0-9_-]{48}$/;

/** What a nonce says: offered here for this resource, offered here for another one, or made by somebody else. */
export type NonceOrigin =
  | { kind: "bound"; offeredAtMs: number }
  | { kind: "elsewhere" }
  | { kind: "foreign" };

/**
 * Creates a nonce that opens `resource` alone: time and random bytes, a tag that says it is ours, and one that ties it
 * to the resource. Nothing has to be remembered.
 */
export function offerNonce(secret: Uint8Array, resource: string, nowMs: number): string {
  const head = new Uint8Array(HEAD_BYTES);
  let seconds = Math.floor(nowMs / 1000);
  for (let index = TIME_BYTES - 1; index >= 0; index--) {
    head[index] = seconds % 256;
    seconds = Math.floor(seconds / 256);
  }
  head.set(randomBytes(RANDOM_BYTES), TIME_BYTES);
  return toBase64Url(concatBytes(head, tag(secret, head), bind(secret, head, resource)));
}

/** Returns where a nonce comes from; it is ours if any of these secrets made it. */
export function readNonceOfAny(secrets: readonly Uint8Array[], resource: string, nonce: string): NonceOrigin {
  const origins = secrets.map((secret) => readNonce(secret, resource, nonce));
  return origins.find(({ kind }) => kind !== "foreign") ?? { kind: "foreign" };
}

/** Returns where a nonce comes from. */
export function readNonce(secret: Uint8Array, resource: string, nonce: string): NonceOrigin {
  if (!shape.test(nonce)) return { kind: "foreign" };
  const bytes = fromBase64Url(nonce);
  const head = bytes.subarray(0, HEAD_BYTES);
  if (!isEqualBytes(bytes.subarray(HEAD_BYTES, HEAD_BYTES + TAG_BYTES), tag(secret, head)))
    return { kind: "foreign" };
  if (!isEqualBytes(bytes.subarray(HEAD_BYTES + TAG_BYTES), bind(secret, head, resource)))
    return { kind: "elsewhere" };
  const seconds = head.subarray(0, TIME_BYTES).reduce((sum, byte) => sum * 256 + byte, 0);
  return { kind: "bound", offeredAtMs: seconds * 1000 };
}

const tag = (secret: Uint8Array, head: Uint8Array) =>
  hmac(sha256, secret, concatBytes(text("x402 offer\n"), head)).subarray(0, TAG_BYTES);

const bind = (secret: Uint8Array, head: Uint8Array, resource: string) =>
  hmac(sha256, secret, concatBytes(text("x402 resource\n"), head, text(resource))).subarray(0, BOUND_BYTES);

const text = (value: string) => new TextEncoder().encode(value);

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}

function fromBase64Url(value: string): Uint8Array {
  const binary = atob(value.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/**
 * Tells the time, ms since 1970, for offers that a payer compares with the chain's clock and other processes with theirs.
 * Nobody knows which one is right when somebody has set the machine's clock.
 */
export type OfferClock = {
  /** The later of what the machine's clock shows and would show, had nobody set it since the process began. */
  latest(): number;
  /** The earlier of the two. */
  earliest(): number;
};

const unset = () => performance.timeOrigin + performance.now();

export const machineClock: OfferClock = {
  latest: () => Math.max(Date.now(), unset()),
  earliest: () => Math.min(Date.now(), unset()),
};
