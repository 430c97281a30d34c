import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes, randomBytes } from "@noble/hashes/utils.js";
import { fromBase64Url, toBase64Url } from "../base64-url.ts";
import { isEqualBytes } from "../equal-bytes.ts";

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
 * Creates a nonce that opens only `resource`: time and random bytes, a tag that marks it as ours, and a tag
 * that ties it to the resource. Nothing has to be stored.
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
  const bytes = shape.test(nonce) ? fromBase64Url(nonce) : null;
  if (!bytes) return { kind: "foreign" };
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
