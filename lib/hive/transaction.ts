import { hexToBytes } from "@noble/hashes/utils.js";
import type { Authority } from "./authority.ts";

/** The bytes of a signature: a first byte, r and s. */
export const SIGNATURE_BYTES = 65;

/** Parses exactly 130 lower-case hex digits into the 65 bytes of a signature; `null` for anything else. */
export function parseSignature(hex130: string): Uint8Array | null {
  return /^[0-9a-f]{130}$/.test(hex130) ? hexToBytes(hex130) : null;
}

/**
 * The chain compares the bytes of s, highest first, with those of n/2 in memory order, lowest first.
 * Therefore about a quarter of the signatures with a high s pass, and all with a low s.
 */
const highestS = Uint8Array.of(
  ...[0xa0, 0x20, 0x1b, 0x68, 0x46, 0x2f, 0xe9, 0xdf, 0x1d, 0x50, 0xa4, 0x57, 0x73, 0x6e, 0x57, 0x5d],
  ...[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
);

/** Returns true if the chain accepts the form of a 65-byte signature (it refuses others as "not canonical"). */
export function isChainCanonical(signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false;
  for (const [index, limit] of highestS.entries()) {
    const byte = signature[33 + index] ?? 0;
    if (byte !== limit) return byte < limit;
  }
  return true;
}

/** An amount in the smallest unit of its symbol: 1/1000 of HBD and HIVE, 1/1000000 of VESTS. */
export type Asset = { amount: bigint; symbol: "HBD" | "HIVE" | "VESTS" };

/** The operations that this code can serialize. Their fields have the chain's names. */
export type Operation =
  | { type: "transfer"; from: string; to: string; amount: Asset; memo: string }
  | {
      type: "account_create";
      fee: Asset;
      creator: string;
      new_account_name: string;
      owner: Authority;
      active: Authority;
      posting: Authority;
      memo_key: string;
      json_metadata: string;
    }
  | {
      type: "account_update";
      account: string;
      owner?: Authority | undefined;
      active?: Authority | undefined;
      posting?: Authority | undefined;
      memo_key: string;
      json_metadata: string;
    }
  | {
      type: "account_update2";
      account: string;
      owner?: Authority | undefined;
      active?: Authority | undefined;
      posting?: Authority | undefined;
      memo_key?: string | undefined;
      json_metadata: string;
      posting_json_metadata: string;
    }
  | {
      type: "custom_json";
      required_auths: string[];
      required_posting_auths: string[];
      id: string;
      json: string;
    };

/**
 * The signed content without the chain id. `expiration` is in whole seconds since 1970, and there are no
 * extensions.
 */
export type UnsignedTransaction = {
  refBlockNum: number;
  refBlockPrefix: number;
  expiration: number;
  operations: readonly Operation[];
};
