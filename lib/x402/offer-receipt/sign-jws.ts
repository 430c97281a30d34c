import { ed25519 } from "@noble/curves/ed25519.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { encodeBase64Url } from "../base64.ts";
import { canonicalJson } from "../canonical-json.ts";
import { didKeyOf } from "./did-key.ts";

/** Signs terms, and returns a JWS in its compact form. */
export type SignTerms = (terms: object) => string;

/** Creates the signer with an Ed25519 private key. Without a name, the key is named by its own `did:key`. */
export function createJwsSigner(privateKey: Uint8Array, name?: string): SignTerms {
  const kid = name ?? didKeyOf(ed25519.getPublicKey(privateKey));
  const header = encodeBase64Url(utf8ToBytes(canonicalJson({ alg: "EdDSA", kid })));
  return (terms) => {
    const signed = `${header}.${encodeBase64Url(utf8ToBytes(canonicalJson(terms)))}`;
    return `${signed}.${encodeBase64Url(ed25519.sign(utf8ToBytes(signed), privateKey))}`;
  };
}

/** Returns the public key of an Ed25519 private key. */
export const publicKeyOf = (privateKey: Uint8Array): Uint8Array => ed25519.getPublicKey(privateKey);
