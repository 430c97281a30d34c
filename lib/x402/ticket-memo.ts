import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { memoOf, nonceOf } from "./header.ts";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** 20 bytes are 32 digits without padding. */
const HASH_BYTES = 20;
/** The form of a ticket: base64url with room for 128 random bits and more. */
export const TICKET = /^[A-Za-z0-9_-]{43,512}$/;
const TICKET_NONCE = /^[A-Z2-7]{32}$/;

/** Returns whether a text has the form of a ticket, the secret `claim` of an offer that a sent transfer pays. */
export const isTicket = (text: string): boolean => TICKET.test(text);

/** Returns whether a nonce has the form of a ticket's, which no signed payment can use. */
export const isTicketNonce = (nonce: string): boolean => TICKET_NONCE.test(nonce);

/** Returns whether a memo has the form of a ticket's. */
export const isTicketMemo = (memo: string): boolean => isTicketNonce(nonceOf(memo) ?? "");

/** Returns a memo without the whitespace that a wallet or a person has put around it. */
export const bareMemoOf = (memo: string): string => memo.trim();

/** Returns whether a memo has the form of a ticket's, whitespace around it aside. */
export const holdsTicketMemo = (memo: string): boolean => isTicketMemo(bareMemoOf(memo));

/**
 * Returns the public memo of a ticket: `x402:` and 32 base32 digits of its SHA-256. The memo does not reveal the
 * ticket.
 */
export const memoOfTicket = (ticket: string): string =>
  memoOf(toBase32(sha256(utf8ToBytes(ticket)).subarray(0, HASH_BYTES)));

/** Encodes whole groups of five bytes by RFC 4648. */
function toBase32(bytes: Uint8Array): string {
  let [text, bits, value] = ["", 0, 0];
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += DIGITS[(value >> (bits - 5)) & 31];
    value &= 31;
  }
  return text;
}
