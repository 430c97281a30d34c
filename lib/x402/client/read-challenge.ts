import { readIsoTime } from "../check-options.ts";
import { SIGN_IN_TYPE, SIGN_IN_WITH_X, type SignInInfo } from "../sign-in-text.ts";
import { asRecord } from "./as-record.ts";

const MAX_LIFE_MS = 300_000;
const MAX_CHARACTERS = 2048;
const MAX_RESOURCES = 8;

/** Requires a single line of visible text, so that no challenge can look like another one. */
const isLine = (value: unknown): value is string =>
  typeof value === "string" && value.length <= MAX_CHARACTERS && !/\p{C}|\p{Zl}|\p{Zp}/u.test(value);

/**
 * Returns the challenge in an answer's extensions for accounts of a chain (by its CAIP-2 name), if it is safe
 * to sign and belongs to the requested origin; otherwise `null`.
 */
export function readChallenge(extensions: unknown, url: string, chainId: string): SignInInfo | null {
  const { info, supportedChains } = asRecord(asRecord(extensions)[SIGN_IN_WITH_X]);
  const isSupported =
    Array.isArray(supportedChains) &&
    supportedChains.some((chain) => {
      const { chainId: name, type } = asRecord(chain);
      return name === chainId && type === SIGN_IN_TYPE;
    });
  if (!isSupported) return null;
  const { domain, uri, version, nonce, issuedAt, expirationTime, statement, resources = [] } = asRecord(info);
  if (!isOfOrigin({ domain, uri }, url)) return null;
  if (version !== "1" || typeof nonce !== "string" || !/^[0-9a-f]{32}$/.test(nonce)) return null;
  if (!isSoonOver(issuedAt, expirationTime)) return null;
  if (statement !== undefined && !isLine(statement)) return null;
  if (!Array.isArray(resources) || resources.length > MAX_RESOURCES || !resources.every(isLine)) return null;
  return {
    ...{ domain: String(domain), uri: String(uri), version, nonce, issuedAt: String(issuedAt), resources },
    expirationTime: String(expirationTime),
    ...(statement !== undefined && { statement }),
  };
}

/**
 * Returns whether a challenge is of the address's origin. A signature for another origin would let this
 * server sign in there.
 */
function isOfOrigin({ domain, uri }: { domain: unknown; uri: unknown }, url: string): boolean {
  const { host, origin } = new URL(url);
  return domain === host && isLine(uri) && URL.canParse(uri) && new URL(uri).origin === origin;
}

/**
 * Returns whether a challenge ends within five minutes of its start. Only its server knows whether it has
 * started.
 */
function isSoonOver(issuedAt: unknown, expirationTime: unknown): boolean {
  const [begin, end] = [issuedAt, expirationTime].map((text) =>
    typeof text === "string" ? readIsoTime(text) : null,
  );
  return begin != null && end != null && end > begin && end - begin <= MAX_LIFE_MS;
}
