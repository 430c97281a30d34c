import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createUserAddresses } from "../../../lib/chat/access/identities.ts";
import { Secret } from "../../../lib/secret.ts";
import { createAuthClient } from "../../harness/auth-client.ts";
import { postingKey } from "../../harness/form-access-token.ts";
import { runDoctor } from "../../harness/run-doctor.ts";
import { type Chat, requestBootstrap, startChat } from "../../harness/start-chat.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";

const [old, fresh] = ["o".repeat(32), "n".repeat(32)];
const before = { SESSION_SECRET: old };
const during = { SESSION_SECRET: fresh, SESSION_SECRET_PREVIOUS: old };
const after = { SESSION_SECRET: fresh };

describe("a replaced SESSION_SECRET", () => {
  let chat: Chat;
  let gateway: Gateway;
  let dataDir: string;
  const auth = createAuthClient(() => gateway.url);

  beforeAll(async () => {
    chat = await startChat();
  });
  afterAll(() => chat.close());
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "hivegate-rotation-"));
    gateway = await start(before);
  });
  afterEach(async () => {
    await gateway.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = (secrets: Record<string, string>) =>
    startGateway({ settings: { ...chat.settings, ...secrets, DATA_DIR: dataDir } });
  const restart = async (secrets: Record<string, string>) => {
    await gateway.close();
    gateway = await start(secrets);
  };
  const rotate = (secrets: Record<string, string> = during) =>
    runDoctor({ ...chat.settings, ...secrets, DATA_DIR: dataDir }, "--rotate-secret");
  const enter = async (name: string) => {
    const { status, body } = await requestBootstrap(gateway.url, name);
    expect([name, status]).toEqual([name, 200]);
    return body;
  };
  const login = async (name: string) => {
    const logged = await auth.answer(await auth.challenge(name), postingKey(name), name);
    expect(logged.status).toBe(200);
    return logged;
  };
  const sessionOf = (logged: Parameters<typeof auth.cookieOf>[0]) =>
    auth.send("GET", "/api/auth/session", { headers: auth.cookieOf(logged) });

  it("is still accepted for sessions, tokens and open challenges", async () => {
    const name = await chat.newAccount();
    const logged = await login(name);
    const challenge = await auth.challenge(name);
    await restart(during);
    expect(await sessionOf(logged)).toMatchObject({ status: 200, body: { username: name } });
    const { accessToken } = logged.body;
    expect((await requestBootstrap(gateway.url, name, { accessToken })).status).toBe(200);
    expect((await auth.refresh(logged.body.refreshToken)).status).toBe(200);
    expect((await auth.answer(challenge, postingKey(name), name)).status).toBe(200);
    const { keys } = (await auth.send("GET", "/.well-known/jwks.json")).body as unknown as {
      keys: unknown[];
    };
    expect(keys).toHaveLength(2);
  });

  it("signs nothing new: sessions used since the rotation survive its removal, and unused ones end", async () => {
    const [here, away] = [await chat.newAccount(), await chat.newAccount()];
    const [seen, unseen] = [await login(here), await login(away)];
    await restart(during);
    const renewed = await sessionOf(seen);
    expect(renewed.cookie).toMatch(/^session=.*Max-Age=\d{5}/);
    expect((await sessionOf(renewed)).cookie, "renewed once").toBe("");
    const { body } = await auth.refresh(seen.body.refreshToken);
    await restart(after);
    expect((await sessionOf(renewed)).body).toMatchObject({ username: here });
    expect((await auth.refresh(body.refreshToken)).status).toBe(200);
    expect((await sessionOf(seen)).status).toBe(401);
    expect((await sessionOf(unseen)).status).toBe(401);
    expect((await auth.refresh(unseen.body.refreshToken)).status).toBe(401);
  });

  it("gives way to the new secret when a cookie is next refreshed", async () => {
    const logged = await login(await chat.newAccount());
    await restart(during);
    const headers = { ...auth.cookieOf(logged), ...auth.sameSite };
    const refreshed = await auth.send("POST", "/api/auth/refresh", { headers });
    expect(refreshed.status).toBe(200);
    await restart(after);
    expect((await sessionOf(refreshed)).status).toBe(200);
  });

  it("still opens the chat tokens of returning users, and --rotate-secret re-encrypts the rest", async () => {
    const [here, away] = [await chat.newAccount(), await chat.newAccount()];
    const [first, second] = [await enter(here), await enter(away)];
    await restart(during);
    expect(await enter(here)).toMatchObject({ userId: first.userId, token: first.token });
    const { code, output } = await rotate();
    expect(code, output).toBe(0);
    expect(output).toMatch(/ok {4}chat tokens: 2 are under SESSION_SECRET, 1 of them since now/);
    expect(output).toMatch(/ok {4}SESSION_SECRET_PREVIOUS: nothing stored needs it any more/);
    expect(output).not.toContain(old);
    await restart(after);
    expect((await enter(here)).token).toBe(first.token);
    expect((await enter(away)).token).toBe(second.token);
    expect(await chat.tokensOf(second.userId)).toHaveLength(1);
  });

  it("leaves users bound to their accounts even if the store is lost later", async () => {
    const name = await chat.newAccount();
    const { userId } = await enter(name);
    await restart(during);
    expect((await rotate()).output).toMatch(
      /ok {4}chat users: \d+ have an address under SESSION_SECRET, [1-9]/,
    );
    await gateway.close();
    await rm(dataDir, { recursive: true, force: true });
    gateway = await start(after);
    expect((await enter(name)).userId).toBe(userId);
  });

  it("still identifies users after a store loss, even renamed ones, while both secrets are set", async () => {
    const [name, renamed] = [await chat.newAccount(), await chat.newAccount()];
    const [{ userId }, other] = [await enter(name), await enter(renamed)];
    await chat.ask("PUT", `/users/${other.userId}/patch`, { username: `${renamed}-else` });
    await gateway.close();
    await rm(dataDir, { recursive: true, force: true });
    gateway = await start(during);
    expect((await enter(name)).userId).toBe(userId);
    expect((await enter(renamed)).userId).toBe(other.userId);
  });

  it("gives a forger who knows it no access once the account has signed in", async () => {
    const [name, own] = [await chat.newAccount(), await chat.newAccount()];
    const email = createUserAddresses(new Secret(old)).of(name);
    const password = "Chosen-by-hand-1";
    const forged = await chat.ask("POST", "/users", { username: name, email, password });
    const { userId } = await enter(own);
    const signIn = () => chat.ask("POST", "/users/login", { login_id: name, password });
    const session = (await signIn()).headers.get("token") ?? "";
    const whoIs = async () => (await chat.ask("GET", "/users/me", undefined, session)).status;
    expect([forged.status, await whoIs()]).toEqual([201, 200]);
    await restart(during);
    expect((await rotate()).code).toBe(0);
    await restart(after);
    expect((await enter(name)).userId).toBe(forged.body.id);
    expect([await whoIs(), (await signIn()).status]).toEqual([401, 401]);
    expect((await enter(own)).userId, "a bound user stays its account's").toBe(userId);
  });

  it("is required by --rotate-secret, which reports tokens that neither secret opens", async () => {
    expect(await rotate(after)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/FAULT SESSION_SECRET_PREVIOUS: is not set/),
    });
    await enter(await chat.newAccount());
    const { output } = await rotate({ SESSION_SECRET: fresh, SESSION_SECRET_PREVIOUS: "x".repeat(32) });
    expect(output).toMatch(/warn {2}chat tokens: 1 were made under neither secret/);
  });

  it("works for two gateways on one store while one of them still signs with the old secret", async () => {
    const name = await chat.newAccount();
    await gateway.close();
    gateway = await start({ SESSION_SECRET: old, SESSION_SECRET_PREVIOUS: fresh });
    const other = await start(during);
    try {
      const { body } = await requestBootstrap(other.url, name);
      expect((await enter(name)).token).toBe(body.token);
      expect((await requestBootstrap(other.url, name)).body.token).toBe(body.token);
      expect(await chat.tokensOf(body.userId)).toHaveLength(1);
      const logged = await login(name);
      const elsewhere = createAuthClient(() => other.url);
      expect((await elsewhere.refresh(logged.body.refreshToken)).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});
