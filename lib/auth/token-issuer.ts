import { createPrivateKey, createPublicKey } from "node:crypto";
import {
  calculateJwkThumbprint,
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  errors,
  type FetchImplementation,
  type JWK,
  jwtVerify,
  SignJWT,
} from "jose";
import { z } from "zod";
import { readBytes } from "../async/read-body.ts";
import { ACCESS_TOKEN_SECONDS } from "../contract/limits.ts";
import { CodedError } from "../errors.ts";
import { deriveSecrets, type Secret } from "../secret.ts";

const AUDIENCE = "hivegate";
/** The ASN.1 prefix of the 32 bytes of an Ed25519 private key (RFC 8410). */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

const Claims = z.object({ sub: z.string(), sid: z.string(), jti: z.string() });
/** The account, its login session, and the id of the token itself. */
export type IssuedClaims = { account: string; sessionId: string; tokenId: string };

export type TokenIssuer = {
  /** Returns whether the token names one of our keys. Only `verify…` checks the signature. */
  isOurs(token: string): boolean;
  publicKeys: { keys: JWK[] };
  issueAccess(claims: IssuedClaims): Promise<{ token: string; expiresAt: string }>;
  issueRefresh(claims: IssuedClaims, lifetimeSeconds: number): Promise<string>;
  /** Returns the claims of one of our access tokens, or null if it is forged, expired or a refresh token. */
  verifyAccess(token: string): Promise<IssuedClaims | null>;
  verifyRefresh(token: string): Promise<IssuedClaims | null>;
};

/**
 * Issues and verifies this gateway's JWTs. The Ed25519 key is derived from the session secret, so every
 * process has it and none stores it. A new secret invalidates all tokens except those of the secret that it
 * replaces.
 */
export async function createTokenIssuer(options: {
  secret: Secret;
  issuer: string;
  now: () => number;
}): Promise<TokenIssuer> {
  const { issuer } = options;
  const [ownSeed, ...formerSeeds] = deriveSecrets(options.secret, "token signing key");
  const own = await signingKeyOf(ownSeed);
  const keys = [own, ...(await Promise.all(formerSeeds.map(signingKeyOf)))];
  const keyOf = (token: string) => {
    try {
      const { kid } = decodeProtectedHeader(token);
      return keys.find(({ id }) => id === kid);
    } catch {
      // The token is not a JWT.
      return undefined;
    }
  };

  const sign = (kind: Kind, { account, sessionId, tokenId }: IssuedClaims, seconds: number) => {
    const issuedAt = Math.floor(options.now() / 1000);
    return new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: "EdDSA", typ: kind, kid: own.id })
      .setIssuer(issuer)
      .setAudience(AUDIENCE)
      .setSubject(account)
      .setJti(tokenId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + seconds)
      .sign(own.privateKey);
  };

  const verify = async (kind: Kind, token: string): Promise<IssuedClaims | null> => {
    try {
      const { payload } = await jwtVerify(token, (keyOf(token) ?? own).publicKey, {
        algorithms: ["EdDSA"],
        typ: kind,
        issuer,
        audience: AUDIENCE,
        requiredClaims: ["exp"],
        currentDate: new Date(options.now()),
      });
      const { sub, sid, jti } = Claims.parse(payload);
      return { account: sub, sessionId: sid, tokenId: jti };
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null;
      throw error;
    }
  };

  return {
    isOurs: (token) => keyOf(token) !== undefined,
    publicKeys: { keys: keys.map(({ jwk, id }) => ({ ...jwk, kid: id, alg: "EdDSA", use: "sig" })) },
    async issueAccess(claims) {
      const token = await sign("at+jwt", claims, ACCESS_TOKEN_SECONDS);
      const expiresAt = new Date(
        (Math.floor(options.now() / 1000) + ACCESS_TOKEN_SECONDS) * 1000,
      ).toISOString();
      return { token, expiresAt };
    },
    issueRefresh: (claims, lifetimeSeconds) => sign("rt+jwt", claims, lifetimeSeconds),
    verifyAccess: (token) => verify("at+jwt", token),
    verifyRefresh: (token) => verify("rt+jwt", token),
  };
}

async function signingKeyOf(seed: Uint8Array) {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, seed]),
    format: "der",
    type: "pkcs8",
  });
  const publicKey = createPublicKey(privateKey);
  const jwk = publicKey.export({ format: "jwk" }) as JWK;
  return { privateKey, publicKey, jwk, id: await calculateJwkThumbprint(jwk) };
}

type Kind = "at+jwt" | "rt+jwt";

const FETCH_TIMEOUT_MS = 5000;
const MAX_KEYS_BYTES = 65_536;
const CLOCK_TOLERANCE_SECONDS = 30;
const algorithms = ["EdDSA", "Ed25519", "ES256", "ES384", "ES512", "RS256", "PS256"];
/** The `typ` values of access tokens: absent, that of any JWT, or that of RFC 9068. */
const accessTypes: readonly string[] = ["", "jwt", "at+jwt"];
const typeOf = (typ = "") => typ.toLowerCase().replace(/^application\//, "");
/** jose's error codes for keys that could not be loaded, as opposed to a bad token. */
const outages: readonly string[] = ["ERR_JOSE_GENERIC", "ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID"];

/** Verifies JWTs of one external issuer: returns the account in the subject, or null if the token is invalid. */
export type ExternalIssuer = (token: string) => Promise<string | null>;

/**
 * Creates the verifier for an issuer that publishes its keys at `jwksUrl`. Keys are cached for 10 minutes.
 * The verifier throws CodedError `auth_unavailable` if the keys cannot be loaded.
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
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        algorithms,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ["exp", "sub"],
        issuer: settings.issuer,
        audience: settings.audience,
      });
      // A refresh token of another Hivegate is signed with the same key for the same audience.
      return accessTypes.includes(typeOf(protectedHeader.typ)) ? (payload.sub ?? null) : null;
    } catch (error) {
      if (error instanceof errors.JOSEError && !outages.includes(error.code)) return null;
      throw new CodedError("auth_unavailable", { cause: error });
    }
  };
}

const fetchKeys: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options);
  const bytes = await readBytes(response.body, MAX_KEYS_BYTES);
  if (!bytes) throw new Error("the key set is too large");
  return new Response(bytes, { status: response.status });
};
