import { generateKeyPair, importJWK, jwtVerify, SignJWT } from "jose";
import { beforeEach, describe, expect, it } from "vitest";
import { createTokenIssuer, type TokenIssuer } from "../../../lib/auth/token-issuer.ts";
import { Secret } from "../../../lib/secret.ts";

const claims = { account: "alice", sessionId: "s-1", tokenId: "t-1" };
const start = 1_800_000_000_000;

describe("the gateway's token issuer", () => {
  let now: number;
  let issuer: TokenIssuer;
  const open = (secret = "s".repeat(32), name = "https://chat.example.com") =>
    createTokenIssuer({ secret: new Secret(secret), issuer: name, now: () => now });

  beforeEach(async () => {
    now = start;
    issuer = await open();
  });

  it("names the token's subject, which anyone can verify with the published key", async () => {
    const { token, expiresAt } = await issuer.issueAccess(claims);
    const [published] = issuer.publicKeys.keys;
    expect(published).toMatchObject({ kty: "OKP", crv: "Ed25519", alg: "EdDSA", use: "sig" });
    expect(published).not.toHaveProperty("d");
    const { payload, protectedHeader } = await jwtVerify(token, await importJWK(published ?? {}), {
      issuer: "https://chat.example.com",
      audience: "hivegate",
      currentDate: new Date(now),
    });
    expect(protectedHeader).toEqual({ alg: "EdDSA", typ: "at+jwt", kid: published?.kid });
    expect(payload).toMatchObject({ sub: "alice", sid: "s-1", jti: "t-1" });
    expect(new Date((payload.exp ?? 0) * 1000).toISOString()).toBe(expiresAt);
  });

  it("accepts a token in every process with the same secret, and in no other", async () => {
    const { token } = await issuer.issueAccess(claims);
    expect(await (await open()).verifyAccess(token)).toEqual(claims);
    const other = await open("x".repeat(32));
    expect(await other.verifyAccess(token)).toBeNull();
    expect(other.isOurs(token)).toBe(false);
    expect(issuer.isOurs(token)).toBe(true);
  });

  it("refuses an expired token", async () => {
    const { token, expiresAt } = await issuer.issueAccess(claims);
    now = Date.parse(expiresAt) - 1000;
    expect(await issuer.verifyAccess(token)).toEqual(claims);
    now = Date.parse(expiresAt);
    expect(await issuer.verifyAccess(token)).toBeNull();
  });

  it("accepts a token only for its purpose: refresh tokens open no chat, access tokens refresh nothing", async () => {
    const access = (await issuer.issueAccess(claims)).token;
    const refresh = await issuer.issueRefresh(claims, 3600);
    expect(await issuer.verifyRefresh(refresh)).toEqual(claims);
    expect(await issuer.verifyAccess(refresh)).toBeNull();
    expect(await issuer.verifyRefresh(access)).toBeNull();
  });

  it("refuses a token that names another issuer", async () => {
    const { token } = await (await open(undefined, "https://other.example.com")).issueAccess(claims);
    expect(issuer.isOurs(token)).toBe(true);
    expect(await issuer.verifyAccess(token)).toBeNull();
  });

  it("refuses a token that is unsigned, or signed by someone else under the same key id", async () => {
    const kid = issuer.publicKeys.keys[0]?.kid ?? "";
    const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519" });
    const forge = (alg: string, key: Parameters<SignJWT["sign"]>[0]) =>
      new SignJWT({ sid: "s-1" })
        .setProtectedHeader({ alg, typ: "at+jwt", kid })
        .setIssuer("https://chat.example.com")
        .setAudience("hivegate")
        .setSubject("alice")
        .setJti("t-1")
        .setExpirationTime(start / 1000 + 60)
        .sign(key);
    expect(await issuer.verifyAccess(await forge("EdDSA", privateKey))).toBeNull();
    const publicBytes = Buffer.from(issuer.publicKeys.keys[0]?.x ?? "", "base64url");
    expect(await issuer.verifyAccess(await forge("HS256", publicBytes))).toBeNull();
    const { token } = await issuer.issueAccess(claims);
    const [, body, signature] = token.split(".");
    const none = Buffer.from(JSON.stringify({ alg: "none", typ: "at+jwt", kid })).toString("base64url");
    expect(await issuer.verifyAccess(`${none}.${body}.${signature}`)).toBeNull();
    expect(await issuer.verifyAccess(`${none}.${body}.`)).toBeNull();
    expect(await issuer.verifyAccess("not.a.token")).toBeNull();
    expect(issuer.isOurs("not.a.token")).toBe(false);
  });

  it("refuses a token whose claims were changed", async () => {
    const [head, body, signature] = (await issuer.issueAccess(claims)).token.split(".");
    const payload = JSON.parse(Buffer.from(body ?? "", "base64url").toString());
    const changed = Buffer.from(JSON.stringify({ ...payload, sub: "bob" })).toString("base64url");
    expect(await issuer.verifyAccess(`${head}.${changed}.${signature}`)).toBeNull();
  });
});
