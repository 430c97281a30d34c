import { createPrivateKey, createPublicKey } from "node:crypto";
import { calculateJwkThumbprint, decodeProtectedHeader, errors, type JWK, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { ACCESS_TOKEN_SECONDS } from "../contract/limits.ts";
import { deriveSecrets, type Secret } from "../secret.ts";

const AUDIENCE = "hivegate";
/** ASN.1 in front of the 32 bytes of an Ed25519 private key (RFC 8410). */
const PKCS8_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

const Claims = z.object({ sub: z.string(), sid: z.string(), jti: z.string() });
/** The account, its login session, and the token's own id. */
export type IssuedClaims = { account: string; sessionId: string; tokenId: string };

export type TokenIssuer = {
  /** Returns whether the token names a key of ours; whether it was made with it, `verify…` tells. */
  isOurs(token: string): boolean;
  publicKeys: { keys: JWK[] };
  issueAccess(claims: IssuedClaims): Promise<{ token: string; expiresAt: string }>;
  issueRefresh(claims: IssuedClaims, lifetimeSeconds: number): Promise<string>;
  /** What a token of ours says, null when it is forged, expired or of the other kind. */
  verifyAccess(token: string): Promise<IssuedClaims | null>;
  verifyRefresh(token: string): Promise<IssuedClaims | null>;
};

/**
 * Issues and verifies this gateway's JWTs. The Ed25519 key is derived from the session secret: every process of the
 * gateway has it, none stores it, and a new secret ends all tokens but those of the one it replaces.
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
      // No JWT at all.
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
