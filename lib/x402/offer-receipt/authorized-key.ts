import { createTtlLruCache } from "../../async/cache.ts";
import { readJson } from "../../async/read-body.ts";
import { underSignals } from "../../async/time-limits.ts";
import { isWebAddress } from "../check-options.ts";
import { namesOfHost } from "../hosts.ts";
import { keyInDid, keyInJwk, keyInMultibase, type VerifyingKey } from "./did-key.ts";
import type { UnverifiedJws } from "./read-jws.ts";

const MAX_KEYS_OF_DOCUMENT = 100;
const DEADLINE_MS = 5000;
const KEEP_DOCUMENT_MS = 60_000;
const MAX_DOCUMENTS = 100;

/** The DIDs that may sign for a host, such as `{ "shop.example": ["did:key:z6Mk…"] }`, as `readHost` spells hosts. */
type KeysOfHosts = Readonly<Record<string, readonly string[]>>;

/**
 * The result of a check: a key that may sign for the host made the signature, or none did, or the host's DID document
 * is unavailable.
 */
export type Authority = "confirmed" | "refuted" | "unavailable";

/** Checks that a key made a JWS that may sign for a site. A key in the JWS itself proves nothing. */
export type CheckAuthority = (jws: UnverifiedJws, site: URL, signal?: AbortSignal) => Promise<Authority>;

/** Creates the check by the given DIDs and, for hosts without any, by the host's own DID document. */
export function createAuthorityCheck(keys: KeysOfHosts, fetcher: typeof fetch): CheckAuthority {
  const documents = createTtlLruCache<unknown>({ maxEntries: MAX_DOCUMENTS, ttlMs: KEEP_DOCUMENT_MS });

  /** Returns the document of a `did:web` without a path, or `null` if it is unavailable. */
  const readDocument = async (did: string, signal: AbortSignal | undefined): Promise<unknown> => {
    const host = decodeURIComponent(did.slice("did:web:".length));
    try {
      const { hostname } = new URL(`https://${host}`);
      const scheme = isOwnMachine(hostname) ? "http" : "https";
      const document = await underSignals([signal, AbortSignal.timeout(DEADLINE_MS)], async (until) => {
        const url = `${scheme}://${host}/.well-known/did.json`;
        const response = await fetcher(url, { redirect: "error", signal: until });
        if (response.ok) return readJson(response);
        await response.body?.cancel();
        return null;
      });
      if (document !== null) documents.set(did, document);
      return document;
    } catch {
      signal?.throwIfAborted();
      return null;
    }
  };

  return async (jws, site, signal) => {
    const { kid } = jws;
    const [did = ""] = kid.split("#");
    const host = namesOfHost(site).find((name) => Object.hasOwn(keys, name));
    const allowed = host === undefined ? didsOf(site) : keys[host];
    if (!allowed?.some((one) => one === did || one === kid)) return "refuted";
    if (!isDidWeb(did)) return authorityOf(jws, keyInDid(kid));
    const present = documents.get(did);
    if (present !== undefined && isMadeBy(jws, keyInDocument(present, did, kid))) return "confirmed";
    // The host may have replaced its key since.
    const document = await readDocument(did, signal);
    return document === null ? "unavailable" : authorityOf(jws, keyInDocument(document, did, kid));
  };
}

const authorityOf = (jws: UnverifiedJws, key: VerifyingKey | null): Authority =>
  isMadeBy(jws, key) ? "confirmed" : "refuted";

const isMadeBy = (jws: UnverifiedJws, key: VerifyingKey | null): boolean =>
  key !== null && (jws.jwk === undefined || isSameKey(key, keyInJwk(jws.jwk))) && jws.isSignedBy(key);

const isOwnMachine = (hostname: string) => ["localhost", "127.0.0.1", "[::1]"].includes(hostname);

/** Returns whether a DID is that of a whole site, whose host may have a port. */
const isDidWeb = (did: string) => /^did:web:[a-z0-9.-]{1,253}(%3A\d{1,5})?$/i.test(did);

/** Returns the DIDs that sign for a site by default. A name outside the web, such as `mcp://tools`, has none. */
const didsOf = ({ href, host }: URL): string[] =>
  isWebAddress(href) ? [`did:web:${host.replace(":", "%3A")}`] : [];

/** Returns the key that a DID document lists under a name, for signing statements. */
function keyInDocument(document: unknown, did: string, kid: string): VerifyingKey | null {
  const { id, verificationMethod, assertionMethod } = (document ?? {}) as Record<string, unknown>;
  if (id !== did || !Array.isArray(verificationMethod)) return null;
  // A document that says which of its keys sign statements excludes the others.
  if (assertionMethod !== undefined && !(Array.isArray(assertionMethod) && assertionMethod.includes(kid)))
    return null;
  const methods = verificationMethod.slice(0, MAX_KEYS_OF_DOCUMENT) as Array<Record<string, unknown> | null>;
  const [method, ...others] = methods.filter((one) => one?.id === kid);
  // A name of several keys names none.
  if (others.length > 0) return null;
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
