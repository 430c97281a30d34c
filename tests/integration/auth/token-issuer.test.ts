import { createServer, type Server } from "node:http";
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createExternalIssuer } from "../../../lib/auth/token-issuer.ts";

describe("an external issuer's token", () => {
  let server: Server;
  let jwksUrl: string;
  let requests: number;
  let answer: (() => [status: number, body: string]) | "hang";
  let keys: GenerateKeyPairResult;

  beforeEach(async () => {
    keys = await generateKeyPair("ES256");
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: "k1", alg: "ES256", use: "sig" };
    requests = 0;
    answer = () => [200, JSON.stringify({ keys: [jwk] })];
    server = createServer((_, response) => {
      requests += 1;
      if (answer === "hang") return;
      const [status, body] = answer();
      response.writeHead(status, { location: "/elsewhere" }).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    jwksUrl = `http://127.0.0.1:${(server.address() as { port: number }).port}/jwks`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const verifier = (audience = "chat") =>
    createExternalIssuer({ jwksUrl, issuer: "https://login.example.com", audience });
  const form = (change: (token: SignJWT) => SignJWT = (token) => token, kid = "k1") =>
    change(
      new SignJWT({})
        .setProtectedHeader({ alg: "ES256", kid })
        .setIssuer("https://login.example.com")
        .setAudience("chat")
        .setSubject("alice")
        .setExpirationTime("5m"),
    ).sign(keys.privateKey);

  it("identifies the account by its subject, and the issuer's keys are fetched once", async () => {
    const verify = verifier("chat");
    expect(await verify(await form())).toBe("alice");
    expect(await verify(await form())).toBe("alice");
    expect(requests).toBe(1);
  });

  it.each([
    ["from another issuer", (token: SignJWT) => token.setIssuer("https://evil.example.com")],
    ["for another audience", (token: SignJWT) => token.setAudience("shop")],
    ["that has expired", (token: SignJWT) => token.setExpirationTime(1)],
    ["that is not valid yet", (token: SignJWT) => token.setNotBefore("1h")],
  ])("%s is refused", async (_, change) => {
    expect(await verifier("chat")(await form(change))).toBeNull();
  });

  it("is refused without an expiry or a subject", async () => {
    const bare = () =>
      new SignJWT({})
        .setProtectedHeader({ alg: "ES256", kid: "k1" })
        .setIssuer("https://login.example.com")
        .setAudience("chat");
    const verify = verifier("chat");
    expect(await verify(await bare().setSubject("alice").sign(keys.privateKey))).toBeNull();
    expect(await verify(await bare().setExpirationTime("5m").sign(keys.privateKey))).toBeNull();
  });

  it("is refused when signed by an unpublished key or a shared secret", async () => {
    const verify = verifier("chat");
    expect(await verify(await form(undefined, "k2"))).toBeNull();
    const other = await generateKeyPair("ES256");
    const forged = await new SignJWT({})
      .setProtectedHeader({ alg: "ES256", kid: "k1" })
      .setIssuer("https://login.example.com")
      .setAudience("chat")
      .setSubject("alice")
      .setExpirationTime("5m")
      .sign(other.privateKey);
    expect(await verify(forged)).toBeNull();
    const symmetric = await new SignJWT({})
      .setProtectedHeader({ alg: "HS256", kid: "k1" })
      .setSubject("alice")
      .setExpirationTime("5m")
      .sign(new Uint8Array(32));
    expect(await verify(symmetric)).toBeNull();
  });

  it.each<[string, () => [number, string]]>([
    ["an error", () => [500, "{}"]],
    ["a redirect", () => [302, ""]],
    ["a page", () => [200, "<html>"]],
    ["no keys", () => [200, "{}"]],
    ["more than 64 KiB", () => [200, `{"keys":[],"pad":"${"x".repeat(70_000)}"}`]],
  ])("leads to auth_unavailable while the issuer answers with %s", async (_, given) => {
    answer = given;
    await expect(verifier()(await form())).rejects.toMatchObject({ code: "auth_unavailable", status: 503 });
  });

  it("leads to auth_unavailable while the issuer does not answer", async () => {
    const verify = verifier();
    answer = "hang";
    await expect(verify(await form())).rejects.toMatchObject({ code: "auth_unavailable" });
    server.closeAllConnections();
    server.close();
    await expect(verify(await form())).rejects.toMatchObject({ code: "auth_unavailable" });
  });
});
