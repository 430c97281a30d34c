import { encodeBase64Url } from "../base64.ts";
import { keyInJwk } from "./did-key.ts";
import { publicKeyOf } from "./sign-jws.ts";
import { readSigning, type SigningOptions } from "./signer.ts";

/** A public key in a DID document. */
type DidKey = {
  id: string;
  type: "JsonWebKey2020";
  controller: string;
  publicKeyJwk: { kty: "OKP"; crv: "Ed25519"; x: string };
};

/** The document of a `did:web`, in which a site lists its public keys. */
export type DidDocument = {
  "@context": string[];
  id: string;
  /** The key that signs, and the former ones. */
  verificationMethod: DidKey[];
  /** The name of the key that signs. */
  assertionMethod: string[];
};

/**
 * Creates the document that publishes a signing key, for a site to serve at `/.well-known/did.json`. `formerKeys` are
 * entries of earlier documents' `verificationMethod`, which stay listed so that receipts which they signed can still be
 * verified.
 * @throws TypeError for invalid options or former keys, and unless `kid` is a key of a site's `did:web`
 * @example app.get("/.well-known/did.json", (_request, response) => response.json(createDidDocument(signing)));
 */
export function createDidDocument(options: SigningOptions, formerKeys: readonly DidKey[] = []): DidDocument {
  const { privateKey, kid = "" } = readSigning(options);
  if (!/^did:web:[a-z0-9.-]+(%3A\d{1,5})?#/.test(kid))
    throw new TypeError(
      'signing.kid must be a did:web of a host in lower case, such as "did:web:shop.example#key-1" or "did:web:localhost%3A4000#key-1"',
    );
  const [id = ""] = kid.split("#");
  const method = (name: string, x: string): DidKey => ({
    ...{ id: name, type: "JsonWebKey2020", controller: id },
    publicKeyJwk: { kty: "OKP", crv: "Ed25519", x },
  });
  const former = formerKeys.map((key) => {
    if (keyInJwk(key?.publicKeyJwk)?.alg !== "EdDSA" || !String(key.id).startsWith(`${id}#`))
      throw new TypeError(
        "formerKeys must be entries of verificationMethod of this site's earlier documents",
      );
    return method(key.id, key.publicKeyJwk.x);
  });
  const verificationMethod = [method(kid, encodeBase64Url(publicKeyOf(privateKey))), ...former];
  if (new Set(verificationMethod.map(({ id: name }) => name)).size < verificationMethod.length)
    throw new TypeError("every key needs another name: choose a new kid for a new key");
  return {
    "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/jws-2020/v1"],
    id,
    verificationMethod,
    assertionMethod: [kid],
  };
}
