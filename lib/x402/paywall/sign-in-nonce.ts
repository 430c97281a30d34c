import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes, randomBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { isEqualBytes } from "../equal-bytes.ts";

const RANDOM_BYTES = 8;
const TAG_BYTES = 8;
const shape = /^[0-9a-f]{32}$/;

/** The resource and time to which a nonce is bound. */
type Bound = {
  /** Method and address of the resource. */
  place: string;
  /** The time in ISO 8601. */
  issuedAt: string;
};

/** Creates a nonce of 32 hex digits for one resource and time: half random, half a MAC. Nothing has to be stored. */
export function signInNonce(secret: Uint8Array, bound: Bound): string {
  const chance = randomBytes(RANDOM_BYTES);
  return bytesToHex(concatBytes(chance, tag(secret, chance, bound)));
}

/** Returns whether one of these secrets created the nonce for this resource and time. */
export function isSignInNonce(secrets: readonly Uint8Array[], nonce: string, bound: Bound): boolean {
  if (!shape.test(nonce)) return false;
  const bytes = hexToBytes(nonce);
  const chance = bytes.subarray(0, RANDOM_BYTES);
  const given = bytes.subarray(RANDOM_BYTES);
  return secrets.some((secret) => isEqualBytes(given, tag(secret, chance, bound)));
}

const tag = (secret: Uint8Array, chance: Uint8Array, { place, issuedAt }: Bound) =>
  hmac(
    sha256,
    secret,
    concatBytes(utf8ToBytes("x402 sign-in\n"), chance, utf8ToBytes(`${issuedAt}\n${place}`)),
  ).subarray(0, TAG_BYTES);
