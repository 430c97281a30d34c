import { createTtlLruCache } from "../../async/cache.ts";
import { readJson } from "../../async/read-body.ts";
import { underSignals } from "../../async/time-limits.ts";
import { keyInDid, keyInJwk, keyInMultibase, type VerifyingKey } from "./did-key.ts";
import type { UnverifiedJws } from "./read-jws.ts";

const MAX_KEYS_OF_DOCUMENT = 100;
const DEADLINE_MS = 5000;
const KEEP_DOCUMENT_MS = 60_000;
const MAX_DOCUMENTS = 100;

/** The DIDs that may sign for a host, such as `{ "shop.example": ["did:key:z6Mk…"] }`. */
type KeysOfHosts = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the key that a JWS names, if it may sign for a host; otherwise `null`. A key in the JWS itself proves
 * nothing.
 */
export type FindAuthorizedKey = (
  jws: Pick<UnverifiedJws, "kid" | "jwk">,
  site: URL,
  signal?: AbortSignal,
) => Promise<VerifyingKey | null>;

/** Creates the search among the given DIDs and, for hosts without any, in the host's own DID document. */
export function createKeyFinder(keys: KeysOfHosts, fetcher: typeof fetch): FindAuthorizedKey {
  const documents = createTtlLruCache<unknown>({ maxEntries: MAX_DOCUMENTS, ttlMs: KEEP_DOCUMENT_MS });

  /** Returns the document of a `did:web` without a path, or `null` if it is unavailable. */
  const readDocument = async (did: string, signal: AbortSignal | undefined): Promise<unknown> => {
    const present = documents.get(did);
    if (present !== undefined) return present;
    const host = decodeURIComponent(did.slice("did:web:".length));
    try {
      const { hostname } = new URL(`https://${host}`);
      const scheme = isOwnMachine(hostname) ? "http" : "https";
      const document = await underSignals([signal, AbortSignal.timeout(DEADLINE_MS)], async (until) => {
        const url = `${scheme}://${host}/.well-known/did.json`;
        const response = await fetcher(url, { redirect: "error", signal: until });
        return response.ok ? readJson(response) : null;
      });
      if (document !== null) documents.set(did, document);
      return document;
    } catch {
      signal?.throwIfAborted();
      return null;
    }
  };

  const resolve = async (kid: string, signal: AbortSignal | undefined): Promise<VerifyingKey | null> => {
    const [did = ""] = kid.split("#");
    if (!isDidWeb(did)) return keyInDid(kid);
    return keyInDocument(await readDocument(did, signal), did, kid);
  };

  return async ({ kid, jwk }, site, signal) => {
    const [did = ""] = kid.split("#");
    const host = [site.host, site.hostname].find((name) => Object.hasOwn(keys, name));
    const allowed = host === undefined ? [didOf(site)] : keys[host];
    if (!allowed?.some((one) => one === did || one === kid)) return null;
    const key = await resolve(kid, signal);
    return jwk === undefined || isSameKey(key, keyInJwk(jwk)) ? key : null;
  };
}

const isOwnMachine = (hostname: string) => ["localhost", "127.0.0.1", "[::1]"].includes(hostname);

/** Returns whether a DID is that of a whole site, whose host may have a port. */
const isDidWeb = (did: string) => /^did:web:[a-z0-9.-]{1,253}(%3A\d{1,5})?$/i.test(did);

/** Returns the DID of a site. */
const didOf = ({ host }: URL) => `did:web:${host.replace(":", "%3A")}`;

/** Returns the key that a DID document lists under a name. */
function keyInDocument(document: unknown, did: string, kid: string): VerifyingKey | null {
  const { id, verificationMethod } = (document ?? {}) as Record<string, unknown>;
  if (id !== did || !Array.isArray(verificationMethod)) return null;
  const methods = verificationMethod.slice(0, MAX_KEYS_OF_DOCUMENT) as Array<Record<string, unknown> | null>;
  const method = methods.find((one) => one?.id === kid);
  return keyInJwk(method?.publicKeyJwk) ?? keyInMultibase(method?.publicKeyMultibase);
}

function isSameKey(one: VerifyingKey | null, other: VerifyingKey | null): boolean {
  return (
    one !== null &&
    one.alg === other?.alg &&
    one.bytes.length === other.bytes.length &&
    one.bytes.every((byte, index) => byte === other.bytes[index])
  );
}
