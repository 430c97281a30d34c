import { createServer, type Server } from "node:http";
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { requestBootstrap } from "../../harness/start-chat.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";

/** Mattermost is down, so a caller who gets 502 was admitted. */
const CAME_IN = 502;

describe("a token of the configured external issuer", () => {
  let keys: GenerateKeyPairResult;
  let server: Server;
  let gateway: Gateway;

  beforeEach(async () => {
    keys = await generateKeyPair("EdDSA");
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: "outside", alg: "EdDSA" };
    server = createServer((_, response) => response.end(JSON.stringify({ keys: [jwk] })));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    gateway = await startGateway({
      settings: {
        AUTH_JWKS_URL: `http://127.0.0.1:${port}/keys`,
        AUTH_ISSUER: "https://login.example.com",
        AUTH_AUDIENCE: "our-chat",
      },
    });
  });
  afterEach(async () => {
    server.close();
    await gateway.close();
  });

  const form = (audience = "our-chat", issuer = "https://login.example.com", typ?: string) =>
    new SignJWT({})
      .setProtectedHeader({ alg: "EdDSA", kid: "outside", ...(typ !== undefined && { typ }) })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject("alice")
      .setExpirationTime("5m")
      .sign(keys.privateKey);

  it("admits its subject and no one else", async () => {
    const accessToken = await form();
    expect((await requestBootstrap(gateway.url, "alice", { accessToken })).status).toBe(CAME_IN);
    expect((await requestBootstrap(gateway.url, "bob", { accessToken })).status).toBe(401);
  });

  it("is refused when issued for another audience or by another issuer", async () => {
    for (const accessToken of [await form("other"), await form(undefined, "https://other.example.com")])
      expect((await requestBootstrap(gateway.url, "alice", { accessToken })).status).toBe(401);
  });

  it("is accepted with an access token's type, but not as a refresh, logout or DPoP token", async () => {
    const statusOf = async (typ: string) => {
      const accessToken = await form(undefined, undefined, typ);
      return (await requestBootstrap(gateway.url, "alice", { accessToken })).status;
    };
    for (const typ of ["rt+jwt", "logout+jwt", "dpop+jwt", "application/rt+jwt"])
      expect([typ, await statusOf(typ)]).toEqual([typ, 401]);
    for (const typ of ["JWT", "at+jwt", "application/at+jwt"])
      expect([typ, await statusOf(typ)]).toEqual([typ, CAME_IN]);
  });

  it("gets 503 and Retry-After while the issuer's keys are unavailable", async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const { status, body, headers } = await requestBootstrap(gateway.url, "alice", {
      accessToken: await form(),
    });
    expect([status, body.code]).toEqual([503, "auth_unavailable"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
