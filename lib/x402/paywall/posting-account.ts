import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { checkSignature } from "../../hive/posting-signature.ts";
import { recoverInJavascript, recoverWith } from "../../hive/recover-in-javascript.ts";
import { createPostingAuthorities } from "./posting-authorities.ts";

/**
 * Returns whether a single key that satisfies the account's posting authority signed a text. Rejects with
 * CodedError `chain_unavailable` if no two nodes agree on the authority.
 */
export type IsSignedByAccount = (given: {
  account: string;
  text: string;
  signature: string;
}) => Promise<boolean>;

/** Creates the check of signatures by accounts of a chain, using `nodes`. */
export function createPostingCheck(nodes: readonly string[]): IsSignedByAccount {
  const parts = {
    authorities: createPostingAuthorities(nodes),
    recover: (digest: Uint8Array, bytes: Uint8Array) => recoverWith(recoverInJavascript, digest, bytes),
  };
  return async ({ account, text, signature }) =>
    (await checkSignature(parts, account, sha256(utf8ToBytes(text)), signature)).isValid;
}
