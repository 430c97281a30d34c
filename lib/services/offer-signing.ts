import type { Config } from "../config.ts";
import { encodeBase64Url } from "../x402/base64.ts";
import { createDidDocument, type DidDocument } from "../x402/offer-receipt/did-document.ts";
import { didKeyOf, keyInMultibase } from "../x402/offer-receipt/did-key.ts";
import { publicKeyOf } from "../x402/offer-receipt/sign-jws.ts";
import type { SigningOptions } from "../x402/offer-receipt/signer.ts";

/**
 * Returns the options by which a gateway's paywalls sign, or null without a key. The key is named after the public
 * address and itself, so that a new key has a new name.
 */
export function signingOf({ publicUrl, x402: { signing } }: Config): SigningOptions | null {
  if (!signing) return null;
  const privateKey = signing.key.reveal();
  const [, name = ""] = didKeyOf(publicKeyOf(Buffer.from(privateKey, "hex"))).split("#");
  // A transfer is public anyway, and a receipt that names it proves nothing about another purchase.
  return { privateKey, kid: `${didOf(publicUrl)}#${name}`, includeTransaction: true };
}

/** Returns the document that publishes a gateway's signing key and its former ones, or null without a key. */
export function didDocumentOf(config: Config): DidDocument | null {
  const signing = signingOf(config);
  if (!signing) return null;
  const { kid = "" } = signing;
  const [did = ""] = kid.split("#");
  const former = new Set(config.x402.signing?.formerKeys.filter((name) => !kid.endsWith(`#${name}`)));
  return createDidDocument(
    signing,
    [...former].flatMap((name) => {
      const key = keyInMultibase(name);
      if (key?.alg !== "EdDSA") return [];
      const publicKeyJwk = { kty: "OKP", crv: "Ed25519", x: encodeBase64Url(key.bytes) } as const;
      return [{ id: `${did}#${name}`, type: "JsonWebKey2020", controller: did, publicKeyJwk }];
    }),
  );
}

const didOf = (publicUrl: string) => `did:web:${new URL(publicUrl).host.replace(":", "%3A")}`;
