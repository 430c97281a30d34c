import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startAccountNode } from "../../harness/account-node.ts";
import { type AuthAnswer, createAuthClient } from "../../harness/auth-client.ts";
import { postingKey } from "../../harness/form-access-token.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";

describe("/api/auth", () => {
  let node: Awaited<ReturnType<typeof startAccountNode>>;
  let gateway: Gateway;

  beforeEach(async () => {
    node = await startAccountNode(["alice", "bob"]);
    gateway = await startGateway({ settings: { HIVE_NODES: node.url } });
  });
  afterEach(async () => {
    await gateway.close();
    await node.close();
  });

  const { send, cookieOf, sameSite, challenge, answer, login, refresh } = createAuthClient(() => gateway.url);

  describe("challenge and login", () => {
    it("logs in the account that signed the challenge, with tokens and an http-only cookie", async () => {
      const { body, cookie } = await login();
      expect(Object.keys(body).sort()).toEqual(["accessToken", "expiresAt", "refreshToken"]);
      expect(Date.parse(body.expiresAt ?? "")).toBeGreaterThan(Date.now());
      expect(cookie).toMatch(/^session=[^;]+;/);
      for (const part of ["HttpOnly", "SameSite=Lax", "Path=/", "Secure"]) expect(cookie).toContain(part);
      expect(cookie).not.toContain("alice");
      const session = await send("GET", "/api/auth/session", { headers: cookieOf({ cookie } as AuthAnswer) });
      expect(session).toMatchObject({ status: 200, body: { username: "alice" } });
    });

    it("accepts each challenge once", async () => {
      const message = await challenge();
      expect((await answer(message)).status).toBe(200);
      expect(await answer(message)).toMatchObject({ status: 401, body: { code: "unauthorized" } });
    });

    it.each([".", ".x", ".x.y"])(
      "refuses a challenge whose nonce has %s appended, and accepts it as issued",
      async (end) => {
        const message = await challenge();
        const changed = JSON.parse(message);
        changed.signed_message.nonce += end;
        expect((await answer(JSON.stringify(changed))).status).toBe(401);
        expect((await answer(message)).status).toBe(200);
      },
    );

    it("accepts only one of many simultaneous answers to a challenge", async () => {
      const message = await challenge();
      const answers = await Promise.all(Array.from({ length: 8 }, () => answer(message)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(401)]);
    });

    it("keeps a challenge open after a wrong answer", async () => {
      const message = await challenge();
      expect((await answer(message, postingKey("bob"))).status).toBe(401);
      expect((await answer(message)).status).toBe(200);
    });

    it("states the reason for a wrong key and for an unknown account", async () => {
      const message = await challenge();
      for (const key of [postingKey("bob"), postingKey("alice", "active"), postingKey("alice", "owner")])
        expect(await answer(message, key)).toMatchObject({
          ...{ status: 401, cookie: "" },
          body: { code: "unauthorized", error: "The signature is not of the account's posting key." },
        });
      expect(await answer(await challenge("nobody"), postingKey("nobody"), "nobody")).toMatchObject({
        ...{ status: 401, cookie: "" },
        body: { code: "unauthorized", error: "The chain has no account of this name." },
      });
    });

    it("refuses another account's challenge, a forged one and a malformed signature with the same error", async () => {
      const message = await challenge();
      const bobs = await challenge("bob");
      const refused = await Promise.all([
        answer(bobs, postingKey("bob")),
        answer(bobs, postingKey("alice")),
        answer(message, postingKey("alice"), "bob"),
        answer('{"signed_message":{"type":"login","app":"hivegate"},"authors":["alice"],"timestamp":1}'),
        answer("x"),
        send("POST", "/api/auth/login", { body: { username: "alice", message, signature: "zz" } }),
      ]);
      const texts = refused.map(({ status, body, cookie }) => ({
        status,
        body: { ...body, requestId: "" },
        cookie,
      }));
      for (const text of texts) expect(text).toEqual(texts[0]);
      expect(texts[0]).toMatchObject({ status: 401, cookie: "", body: { code: "unauthorized" } });
    });

    describe("with several chain nodes", () => {
      const others: Array<Awaited<ReturnType<typeof startAccountNode>>> = [];
      const withOthers = async (count: number) => {
        for (let index = 0; index < count; index++) others.push(await startAccountNode(["alice"]));
        const urls = [node, ...others].map(({ url }) => url);
        await gateway.close();
        gateway = await startGateway({ settings: { HIVE_NODES: urls.join(",") } });
      };
      afterEach(async () => {
        for (const other of others.splice(0)) await other.close();
      });

      it.each(["first", "second"])("refuses a key that only the %s of two nodes reports", async (which) => {
        await withOthers(1);
        (which === "first" ? node : others[0])?.changeKey("alice", "bob");
        const refused = await answer(await challenge(), postingKey("bob"));
        expect(refused).toMatchObject({ status: 503, body: { code: "auth_unavailable" } });
      });

      it("accepts a key that both nodes report after they disagreed", async () => {
        await withOthers(1);
        others[0]?.changeKey("alice", "bob");
        expect((await answer(await challenge(), postingKey("alice"))).status).toBe(503);
        others[0]?.changeKey("alice", "alice");
        expect((await answer(await challenge(), postingKey("alice"))).status).toBe(200);
        expect((await answer(await challenge(), postingKey("bob"))).status).toBe(401);
      });

      it("asks a third node when two differ, so that a single lying node decides nothing", async () => {
        await withOthers(2);
        node.changeKey("alice", "bob");
        expect((await answer(await challenge(), postingKey("bob"))).status).toBe(401);
        expect((await answer(await challenge(), postingKey("alice"))).status).toBe(200);
      });

      it("returns 503 while only one of two nodes answers", async () => {
        await withOthers(1);
        others[0]?.setFault("cut");
        expect((await answer(await challenge(), postingKey("alice"))).status).toBe(503);
      });
    });

    it.each([
      ["/api/auth/challenge", {}],
      ["/api/auth/challenge", { username: "Alice" }],
      ["/api/auth/challenge", { username: "@alice" }],
      ["/api/auth/challenge", { username: 7 }],
      ["/api/auth/challenge", []],
      ["/api/auth/login", { username: "alice" }],
      ["/api/auth/login", { username: "alice", message: 1, signature: "" }],
      ["/api/auth/refresh", { refreshToken: 7 }],
      ["/api/auth/logout", { refreshToken: 7 }],
    ])("returns 400 for %s with %j", async (path, body) => {
      expect(await send("POST", path, { body })).toMatchObject({
        status: 400,
        body: { code: "invalid_request" },
      });
    });

    it.each([
      ["down", "cut"],
      ["silent", "hang"],
      ["talking nonsense", { status: 200, text: "<html>" }],
      ["failing", { status: 503, text: "" }],
      ["refusing the call", { error: { code: -32003, message: "Assert Exception" } }],
    ] as const)(
      "returns 503 with Retry-After while the chain is %s, and the challenge stays valid",
      async (_, fault) => {
        const message = await challenge();
        node.setFault(fault);
        const refused = await answer(message);
        expect(refused).toMatchObject({ status: 503, body: { code: "auth_unavailable" } });
        expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
        node.setFault(null);
        expect((await answer(message)).status).toBe(200);
      },
    );
  });

  describe("refresh", () => {
    it("exchanges each refresh token for a new pair of tokens", async () => {
      const { body } = await login();
      const next = await refresh(body.refreshToken);
      expect(next.status).toBe(200);
      expect(next.body.refreshToken).not.toBe(body.refreshToken);
      expect(next.body.accessToken).not.toBe(body.accessToken);
      expect((await refresh(next.body.refreshToken)).status).toBe(200);
    });

    it("ends the session when an old refresh token is used again", async () => {
      const logged = await login();
      const next = await refresh(logged.body.refreshToken);
      expect((await refresh(logged.body.refreshToken)).status).toBe(401);
      expect((await refresh(next.body.refreshToken)).status).toBe(401);
      const session = await send("GET", "/api/auth/session", { headers: cookieOf(logged) });
      expect(session).toMatchObject({ status: 401, body: { code: "unauthorized" } });
    });

    it("accepts a refresh token at most once when it is used several times simultaneously", async () => {
      const { body } = await login();
      const all = await Promise.all(Array.from({ length: 6 }, () => refresh(body.refreshToken)));
      expect(all.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      expect(all.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(5);
    });

    it("refuses access tokens and forged tokens", async () => {
      const { body } = await login();
      expect((await refresh(body.accessToken)).status).toBe(401);
      expect((await refresh("x")).status).toBe(401);
      expect((await refresh(`${body.refreshToken?.slice(0, -4)}AAAA`)).status).toBe(401);
    });

    it("issues a browser a new access token for its cookie, any number of times", async () => {
      const headers = { ...cookieOf(await login()), ...sameSite };
      for (let turn = 0; turn < 3; turn++) {
        const { status, body } = await send("POST", "/api/auth/refresh", { headers });
        expect(status).toBe(200);
        expect(Object.keys(body).sort()).toEqual(["accessToken", "expiresAt"]);
      }
    });

    it("returns 403 for a cookie sent from another site, and 401 without a credential", async () => {
      const cookie = cookieOf(await login());
      const foreign = { ...cookie, origin: "https://evil.example.com", "sec-fetch-site": "cross-site" };
      for (const path of ["/api/auth/refresh", "/api/auth/logout"])
        expect(await send("POST", path, { headers: foreign })).toMatchObject({ status: 403 });
      expect((await send("GET", "/api/auth/session", { headers: cookie })).status).toBe(200);
      expect((await send("POST", "/api/auth/refresh")).status).toBe(401);
    });
    it.each(["refresh", "logout"])(
      "returns 413 for an oversized and 415 for a non-JSON body of %s",
      async (name) => {
        const ask = (body: unknown, headers = {}) => send("POST", `/api/auth/${name}`, { body, headers });
        expect((await ask("x".repeat(8192))).status).toBe(413);
        expect((await ask({}, { "content-type": "text/plain" })).status).toBe(415);
      },
    );

    it("ends the session when the account no longer holds the key that opened it", async () => {
      const { body } = await login();
      node.changeKey("alice", "bob");
      // Login caches an authority for half a minute: a login with the new key reads it again.
      expect((await answer(await challenge(), postingKey("bob"))).status).toBe(200);
      expect((await refresh(body.refreshToken)).status).toBe(401);
      node.changeKey("alice", "alice");
      expect((await refresh(body.refreshToken)).status).toBe(401);
    });
  });

  it("keeps a session open while a lagging node does not know its new key", async () => {
    node.changeKey("alice", "bob");
    const { body, cookie } = await answer(await challenge(), postingKey("bob"));
    node.changeKey("alice", "alice", -60);
    // Login caches an authority for half a minute: a login with the old key reads it again.
    expect((await answer(await challenge(), postingKey("alice"))).status).toBe(200);
    const headers = cookieOf({ cookie } as AuthAnswer);
    expect((await send("GET", "/api/auth/session", { headers })).status).toBe(200);
    expect((await refresh(body.refreshToken)).status).toBe(200);
  });

  describe("session and logout", () => {
    it("returns 401 once the account no longer holds the key that opened the session", async () => {
      const headers = cookieOf(await login());
      expect((await send("GET", "/api/auth/session", { headers })).status).toBe(200);
      node.changeKey("alice", "bob");
      // Login caches an authority for half a minute: a login with the new key reads it again.
      expect((await answer(await challenge(), postingKey("bob"))).status).toBe(200);
      expect((await send("GET", "/api/auth/session", { headers })).status).toBe(401);
      node.changeKey("alice", "alice");
      expect((await send("GET", "/api/auth/session", { headers })).status).toBe(401);
    });

    it("returns 401 without a cookie, with a malformed one, and with one from another gateway", async () => {
      expect((await send("GET", "/api/auth/session")).status).toBe(401);
      expect((await send("GET", "/api/auth/session", { headers: { cookie: "session=junk" } })).status).toBe(
        401,
      );
      const foreign = cookieOf(await login());
      await gateway.close();
      gateway = await startGateway({
        settings: { HIVE_NODES: node.url, SESSION_SECRET: "another".repeat(6) },
      });
      expect((await send("GET", "/api/auth/session", { headers: foreign })).status).toBe(401);
    });

    it("ends the session on logout, so that its cookie and refresh token are refused", async () => {
      const logged = await login();
      const out = await send("POST", "/api/auth/logout", { headers: { ...cookieOf(logged), ...sameSite } });
      expect(out).toMatchObject({ status: 200, body: { ok: true } });
      expect(out.cookie).toMatch(/^session=;.*Max-Age=0/);
      expect((await send("GET", "/api/auth/session", { headers: cookieOf(logged) })).status).toBe(401);
      expect((await refresh(logged.body.refreshToken)).status).toBe(401);
    });

    it("logs out by refresh token, and succeeds without one", async () => {
      const { body } = await login();
      const out = await send("POST", "/api/auth/logout", { body: { refreshToken: body.refreshToken } });
      expect(out.status).toBe(200);
      expect((await refresh(body.refreshToken)).status).toBe(401);
      expect((await send("POST", "/api/auth/logout")).status).toBe(200);
    });

    it("keeps sessions across a restart", async () => {
      const settings = { HIVE_NODES: node.url, DATA_DIR: mkdtempSync(join(tmpdir(), "hivegate-auth-")) };
      await gateway.close();
      gateway = await startGateway({ settings });
      const { body } = await login();
      await gateway.close();
      gateway = await startGateway({ settings });
      expect((await refresh(body.refreshToken)).status).toBe(200);
      rmSync(settings.DATA_DIR, { recursive: true, force: true });
    });
  });

  it("publishes its public keys, without private parts, for others to verify tokens", async () => {
    const { status, body, headers } = await send("GET", "/.well-known/jwks.json");
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("public, max-age=300");
    const [key] = (body as unknown as { keys: Record<string, string>[] }).keys;
    expect(Object.keys(key ?? {}).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x"]);
    const { accessToken = "" } = (await login()).body;
    expect(JSON.parse(Buffer.from(accessToken.split(".")[0] ?? "", "base64url").toString()).kid).toBe(
      key?.kid,
    );
  });

  it.each(["challenge", "login", "refresh", "logout", "session"])(
    "answers the preflight of %s",
    async (name) => {
      const response = await fetch(`${gateway.url}/api/auth/${name}`, { method: "OPTIONS" });
      expect(response.status).toBe(204);
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
    },
  );

  it("returns 429 with Retry-After after 30 tries a minute for one account, but admits another", async () => {
    await gateway.close();
    gateway = await startGateway({ settings: { HIVE_NODES: node.url, RATE_LIMITS: "on" } });
    const ask = (username: string) => send("POST", "/api/auth/challenge", { body: { username } });
    const answers = await Promise.all(Array.from({ length: 90 }, () => ask("alice")));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length).toBe(90 - refused.length);
    expect(90 - refused.length).toBeGreaterThanOrEqual(30);
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await ask("bob")).status).toBe(200);
  });
});
