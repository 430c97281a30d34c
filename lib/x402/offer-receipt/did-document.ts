import { encodeBase64Url } from "../base64.ts";
import { publicKeyOf } from "./sign-jws.ts";
import { readSigning, type SigningOptions } from "./signer.ts";

/** The document of a `did:web`, in which a site lists its public keys. */
export type DidDocument = {
  "@context": string[];
  id: string;
  verificationMethod: Array<{
    id: string;
    type: "JsonWebKey2020";
    controller: string;
    publicKeyJwk: { kty: "OKP"; crv: "Ed25519"; x: string };
  }>;
  assertionMethod: string[];
};

/**
 * Creates the document that publishes a signing key, for a site to serve at `/.well-known/did.json`.
 * @throws TypeError for invalid options, and unless `kid` is a `did:web`
 * @example app.get("/.well-known/did.json", (_request, response) => response.json(createDidDocument(signing)));
 */
export function createDidDocument(options: SigningOptions): DidDocument {
  const { privateKey, kid } = readSigning(options);
  if (!kid?.startsWith("did:web:"))
    throw new TypeError('signing.kid must be a did:web, such as "did:web:shop.example#key-1"');
  const [id = ""] = kid.split("#");
  const publicKeyJwk = { kty: "OKP", crv: "Ed25519", x: encodeBase64Url(publicKeyOf(privateKey)) } as const;
  return {
    "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/jws-2020/v1"],
    id,
    verificationMethod: [{ id: kid, type: "JsonWebKey2020", controller: id, publicKeyJwk }],
    assertionMethod: [kid],
  };
}
