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
/**
 * Maximum length of both headers: proxies refuse heads of some KB (nginx 4 by default), which hold other headers too.
 */
const MOST_HEADER_CHARACTERS = 2400;

/** Builds the requirements of `settings` for a resource; `extra` contains the offered nonce, if there is one. */
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

/** Returns when an offer made at `offeredAtMs` expires, in ISO 8601. */
export function endOfOffer(offeredAtMs: number): string {
  return new Date(offeredAtMs + VALID_SECONDS * 1000).toISOString();
}

/**
 * Returns the offer as headers: the one that existing Hive clients read, and its version 2 form, in which a chain has
 * one name and occurs once. Long texts stay in the body: first the description, then the address except for its origin.
 */
export function offerHeaders(required: PaymentRequired): Array<[string, string]> {
  const forms = [required, withoutDescription(required), withoutTexts(required)];
  const [fullest] = forms.map(headersOf).filter(isShort);
  return fullest ?? headersOf(withoutTexts(required));
}

/** An offer in the form of headers; `url` is the address if the entries have none. */
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

/** Version 1 works without the address; version 2 gets the origin instead. */
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

/** The origin of a nonce: offered here for this resource, offered here for another one, or created elsewhere. */
export type NonceOrigin =
  | { kind: "bound"; offeredAtMs: number }
  | { kind: "elsewhere" }
  | { kind: "foreign" };

/**
 * Creates a nonce that opens only `resource`: time and random bytes, a tag that marks it as ours, and one that ties it
 * to the resource. Nothing has to be stored.
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

/** Returns the origin of a nonce; it is ours if any of these secrets created it. */
export function readNonceOfAny(secrets: readonly Uint8Array[], resource: string, nonce: string): NonceOrigin {
  const origins = secrets.map((secret) => readNonce(secret, resource, nonce));
  return origins.find(({ kind }) => kind !== "foreign") ?? { kind: "foreign" };
}

/** Returns the origin of a nonce. */
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
 * Returns the time (ms since 1970) of offers, which payers compare with the chain's clock and other processes with
 * theirs. If the machine's clock was set, it is unknown which time is right.
 */
export type OfferClock = {
  /**
   * Returns the later of the machine's clock and the clock as it would be if it had not been set since the process
   * began.
   */
  latest(): number;
  /** Returns the earlier of the two. */
  earliest(): number;
};

const unset = () => performance.timeOrigin + performance.now();

export const machineClock: OfferClock = {
  latest: () => Math.max(Date.now(), unset()),
  earliest: () => Math.min(Date.now(), unset()),
};
