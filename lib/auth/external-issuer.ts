import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, jwtVerify } from "jose";
import { CodedError } from "../errors.ts";

const FETCH_TIMEOUT_MS = 5000;
const MAX_KEYS_BYTES = 65_536;
const CLOCK_TOLERANCE_SECONDS = 30;
const algorithms = ["EdDSA", "Ed25519", "ES256", "ES384", "ES512", "RS256", "PS256"];
/** What jose throws when the keys could not be had, as opposed to a bad token. */
const outages: readonly string[] = ["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID"];

/** Verifies JWTs of one outside issuer: the account that one names as its subject, null when it is not good. */
export type ExternalIssuer = (token: string) => Promise<string | null>;

/**
 * Makes the verifier for an issuer that publishes its keys at `jwksUrl`; they are kept for 10 minutes.
 * The verifier throws CodedError `auth_unavailable` when the keys can't be had.
 */
export function createExternalIssuer(settings: {
  jwksUrl: string;
  issuer: string;
  audience: string;
}): ExternalIssuer {
  const keys = createRemoteJWKSet(new URL(settings.jwksUrl), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    [customFetch]: fetchKeys,
  });
  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ["exp", "sub"],
        issuer: settings.issuer,
        audience: settings.audience,
      });
      return payload.sub ?? null;
    } catch (error) {
      if (error instanceof errors.JOSEError && !outages.includes(error.code)) return null;
      throw new CodedError("auth_unavailable", { cause: error });
    }
  };
}

const fetchKeys: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options);
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const chunk = await reader?.read();
    if (!chunk || chunk.done) break;
    size += chunk.value.byteLength;
    if (size > MAX_KEYS_BYTES) throw new Error("the key set is too large");
    chunks.push(chunk.value);
  }
  return new Response(Buffer.concat(chunks), { status: response.status });
};
