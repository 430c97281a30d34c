import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, randomBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { isAccountName } from "../../hive/account-name.ts";
import { formatMils, readMils, toMils } from "../../mils.ts";
import { fromBase64Url, toBase64Url } from "../base64-url.ts";
import { isEqualBytes } from "../equal-bytes.ts";
import { memoOfTicket } from "../ticket-memo.ts";

const TIME_BYTES = 5;
const AMOUNT_BYTES = 7;
const RANDOM_BYTES = 16;
const PLACE_BYTES = 16;
const TAG_BYTES = 16;
const HEAD_BYTES = TIME_BYTES + AMOUNT_BYTES + RANDOM_BYTES + PLACE_BYTES;

/** The terms that a ticket holds, so that nothing has to be stored for an offer. */
export type TicketTerms = {
  /** The price, such as "0.050 HBD". */
  amount: string;
  payTo: string;
  /** Method and address, of which the ticket holds a hash. */
  place: string;
  /** The end of the offer, in ms since 1970. */
  endMs: number;
};

/** Creates a ticket: its terms with 128 random bits, authenticated for one network by the paywall's secret. */
export function createTicket(secret: Uint8Array, network: string, terms: TicketTerms): string {
  const { amount, payTo, place, endMs } = terms;
  const body = concatBytes(
    toBytes(Math.floor(endMs / 1000), TIME_BYTES),
    toBytes(readMils(amount), AMOUNT_BYTES),
    randomBytes(RANDOM_BYTES),
    hashOf(place),
    utf8ToBytes(payTo),
  );
  return toBase64Url(concatBytes(body, tag(secret, network, body)));
}

/** Returns the terms of a ticket for `place` by any of these secrets; null for every other text. */
export function readTicket(
  secrets: readonly Uint8Array[],
  { network, place }: { network: string; place: string },
  ticket: string,
): TicketTerms | null {
  const bytes = fromBase64Url(ticket);
  if (!bytes || bytes.length <= HEAD_BYTES + TAG_BYTES) return null;
  const body = bytes.subarray(0, -TAG_BYTES);
  const found = bytes.subarray(-TAG_BYTES);
  if (!secrets.some((secret) => isEqualBytes(found, tag(secret, network, body)))) return null;
  if (!isEqualBytes(body.subarray(HEAD_BYTES - PLACE_BYTES, HEAD_BYTES), hashOf(place))) return null;
  const payTo = new TextDecoder().decode(body.subarray(HEAD_BYTES));
  const amountMils = numberIn(body.subarray(TIME_BYTES, TIME_BYTES + AMOUNT_BYTES));
  if (!isAccountName(payTo)) return null;
  const endMs = numberIn(body.subarray(0, TIME_BYTES)) * 1000;
  return { amount: formatMils(toMils(amountMils)), payTo, place, endMs };
}

/** Returns a ticket without its authentication, which makes it worthless; null for any other text. */
export function unsealTicket(ticket: string): string | null {
  const bytes = fromBase64Url(ticket);
  return bytes && bytes.length > HEAD_BYTES + TAG_BYTES ? toBase64Url(bytes.subarray(0, -TAG_BYTES)) : null;
}

/** Restores the ticket of a memo by any of these secrets; null if none created it. */
export function sealTicket(
  secrets: readonly Uint8Array[],
  network: string,
  unsealed: string,
  memo: string,
): string | null {
  const body = fromBase64Url(unsealed);
  if (!body) return null;
  const tickets = secrets.map((secret) => toBase64Url(concatBytes(body, tag(secret, network, body))));
  return tickets.find((ticket) => memoOfTicket(ticket) === memo) ?? null;
}

const hashOf = (place: string) => sha256(utf8ToBytes(place)).subarray(0, PLACE_BYTES);

const tag = (secret: Uint8Array, network: string, body: Uint8Array) =>
  hmac(sha256, secret, concatBytes(utf8ToBytes(`x402 ticket\n${network}\n`), body)).subarray(0, TAG_BYTES);

function toBytes(value: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let rest = value, index = length - 1; index >= 0; index--, rest = Math.floor(rest / 256))
    bytes[index] = rest % 256;
  return bytes;
}

const numberIn = (bytes: Uint8Array) => bytes.reduce((sum, byte) => sum * 256 + byte, 0);
