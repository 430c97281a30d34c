import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createIdentities } from "../../../lib/chat/access/identities.ts";
import { createPatVault } from "../../../lib/chat/access/pat-vault.ts";
import { createUserAddresses } from "../../../lib/chat/access/user-addresses.ts";
import { Secret } from "../../../lib/secret.ts";
import { createSqliteStore } from "../../../lib/store/sqlite-store.ts";
import type { Store } from "../../../lib/store/store.ts";
import { type Chat, request, requestBootstrap, startChat } from "../../harness/start-chat.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";

const PASSWORD = "Chosen-by-hand-1";
const secret = new Secret("0123456789abcdef0123456789abcdef");
const formerAddress = (account: string) => `${account}@users.hivegate.invalid`;

describe("the chat user of an account", () => {
  let chat: Chat;
  let gateway: Gateway;
  let dataDir: string;

  beforeAll(async () => {
    chat = await startChat();
  });
  afterAll(() => chat.close());
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "hivegate-identity-"));
    gateway = await start();
  });
  afterEach(async () => {
    chat.proxy.treat(() => "pass");
    await gateway.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = () =>
    startGateway({ settings: { ...chat.settings, SESSION_SECRET: secret.reveal(), DATA_DIR: dataDir } });
  const restart = async () => {
    await gateway.close();
    gateway = await start();
  };
  const loseStore = async () => {
    await gateway.close();
    await rm(dataDir, { recursive: true, force: true });
    gateway = await start();
  };
  const withStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const store = createSqliteStore({ dataDir });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const bootstrap = (name: string) => requestBootstrap(gateway.url, name);
  const enter = async (name: string) => {
    const { status, body } = await bootstrap(name);
    expect([name, status, body.code]).toEqual([name, 200, undefined]);
    return body;
  };
  const expectRefused = async (name: string) => {
    const { status, body, cookie } = await bootstrap(name);
    expect([status, body.code, body.token, cookie]).toEqual([409, "name_taken", undefined, ""]);
  };
  const nameOf = async (userId: string) => (await chat.ask("GET", `/users/${userId}`)).body.username;
  const rename = async (userId: string, username: string, token?: string) =>
    expect((await chat.ask("PUT", `/users/${token ? "me" : userId}/patch`, { username }, token)).status).toBe(
      200,
    );
  /** Somebody who made an account at the chat server itself, and is signed in there. */
  const signUp = async (username: string, email = `${username}@mail.example`) => {
    const { status, body } = await chat.ask("POST", "/users", { username, email, password: PASSWORD });
    expect(status).toBe(201);
    const login = await chat.ask("POST", "/users/login", { login_id: username, password: PASSWORD });
    return { id: String(body.id), session: login.headers.get("token") ?? "" };
  };
  const mintToken = async (userId: string, description = "somebody's") =>
    (await chat.ask("POST", `/users/${userId}/tokens`, { description })).body as {
      id: string;
      token: string;
    };
  const worksFor = async (token: string) =>
    (await chat.ask("GET", "/users/me", undefined, token)).status === 200;
  const canSignIn = async (login_id: string) =>
    (await chat.ask("POST", "/users/login", { login_id, password: PASSWORD })).status === 200;
  /** What an installation of before the bindings has: the account's chat token. */
  const storeToken = (account: string, pat: { id: string; token: string }, userId: string) =>
    withStore(async (store) => {
      const vault = createPatVault({ store, secret });
      await vault.write(account, await vault.read(account), { userId, tokenId: pat.id, token: pat.token });
    });

  describe("is never somebody who merely bears its name", () => {
    it("by renaming herself with her own token: 409, and her token reads nothing of the account's", async () => {
      const [mallory, shop] = [await chat.newAccount(), await chat.newAccount()];
      const hers = await enter(mallory);
      await rename(hers.userId, shop, hers.token);
      for (let turn = 0; turn < 2; turn++) {
        await expectRefused(shop);
        await restart();
      }
      expect(await chat.tokensOf(hers.userId)).toHaveLength(1);
    });

    it.each<[string, (account: string) => string]>([
      ["an address of their own", (account) => `${account}@mail.example`],
      ["the address that earlier versions gave", formerAddress],
      [
        "an address made up to look like the gateway's",
        (a) => `${a}.${"0".repeat(32)}@users.hivegate.invalid`,
      ],
    ])("by signing up under the free name with %s", async (_, addressOf) => {
      const shop = await chat.newAccount();
      const squatter = await signUp(shop, addressOf(shop));
      await expectRefused(shop);
      await loseStore();
      await expectRefused(shop);
      expect(await chat.tokensOf(squatter.id)).toEqual([]);
      expect(await canSignIn(shop)).toBe(true);
    });

    it("also when the squatter is deactivated", async () => {
      const shop = await chat.newAccount();
      const { id } = await signUp(shop);
      await chat.ask("PUT", `/users/${id}/active`, { active: false });
      await expectRefused(shop);
    });

    it("and gets one of its own once the other one is called by her name again, which her signing in does", async () => {
      const [mallory, shop] = [await chat.newAccount(), await chat.newAccount()];
      const hers = await enter(mallory);
      await rename(hers.userId, shop, hers.token);
      await expectRefused(shop);
      expect((await enter(mallory)).userId).toBe(hers.userId);
      expect(await nameOf(hers.userId)).toBe(mallory);
      expect((await enter(shop)).userId).not.toBe(hers.userId);
    });
  });

  describe("is found by its id", () => {
    it("and called by its name again when an admin renamed it, with the same token and 3 calls", async () => {
      const name = await chat.newAccount();
      const first = await enter(name);
      await rename(first.userId, `${name}-renamed`);
      chat.proxy.forget();
      expect(await enter(name)).toEqual(first);
      expect(chat.calls()).toHaveLength(3);
      expect(await nameOf(first.userId)).toBe(name);
    });

    it("also when its token was revoked meanwhile", async () => {
      const name = await chat.newAccount();
      const { userId } = await enter(name);
      const [made] = await chat.tokensOf(userId);
      await chat.ask("POST", "/users/tokens/revoke", { token_id: made?.id });
      await rename(userId, `${name}-renamed`);
      expect((await enter(name)).userId).toBe(userId);
      expect(await nameOf(userId)).toBe(name);
    });

    it("and named as the trouble while somebody else has its name: neither gets the other's", async () => {
      const [alice, mallory] = [await chat.newAccount(), await chat.newAccount()];
      const [own, hers] = [await enter(alice), await enter(mallory)];
      await rename(own.userId, `${alice}-renamed`);
      await rename(hers.userId, alice, hers.token);
      await expectRefused(alice);
      expect((await enter(mallory)).userId).toBe(hers.userId);
      expect((await enter(alice)).userId).toBe(own.userId);
      expect([await nameOf(own.userId), await nameOf(hers.userId)]).toEqual([alice, mallory]);
    });

    it("and made anew when it was deleted for good, but not out of somebody who took its address since", async () => {
      const [gone, copied] = [await chat.newAccount(), await chat.newAccount()];
      await withStore(async (store) => {
        for (const [index, name] of [gone, copied].entries())
          await createIdentities(store).bind(name, `${index}`.padEnd(26, "x"));
      });
      const { userId } = await enter(gone);
      expect((await enter(gone)).userId).toBe(userId);
      await signUp(copied, createUserAddresses(secret).of(copied));
      await expectRefused(copied);
    });
  });

  describe("after the store was lost", () => {
    it("is known by the address that only the gateway can give, also when nobody ever signed in to it", async () => {
      const [name, invited] = [await chat.newAccount(), await chat.newAccount()];
      const { userId, token } = await enter(name);
      const headers = { authorization: `Bearer ${token}` };
      const direct = await request("POST", `${gateway.url}/api/chat/direct`, { username: invited }, headers);
      expect(direct.status).toBe(200);
      const { body: made } = await chat.ask("GET", `/users/username/${invited}`);
      await loseStore();
      expect((await enter(name)).userId).toBe(userId);
      expect((await enter(invited)).userId).toBe(made.id);
    });

    it("is known under another name too, and never mistaken for the account of that name", async () => {
      const [mallory, shop] = [await chat.newAccount(), await chat.newAccount()];
      const hers = await enter(mallory);
      await rename(hers.userId, shop, hers.token);
      await loseStore();
      await expectRefused(shop);
      expect((await enter(mallory)).userId).toBe(hers.userId);
      expect(await nameOf(hers.userId)).toBe(mallory);
    });

    it("is not replaced by a squatter on the name that it lost", async () => {
      const name = await chat.newAccount();
      const { userId } = await enter(name);
      await rename(userId, `${name}-renamed`);
      const squatter = await signUp(name);
      await loseStore();
      await expectRefused(name);
      await rename(squatter.id, `${name}-squatter`);
      expect((await enter(name)).userId).toBe(userId);
    });
  });

  describe("of an earlier version, which kept no bindings", () => {
    it("is adopted with its stored token, and whoever else could sign in to it is shut out", async () => {
      const name = await chat.newAccount();
      const { id, session } = await signUp(name, formerAddress(name));
      const [own, foreign] = [await mintToken(id), await mintToken(id)];
      await storeToken(name, own, id);
      expect((await enter(name)).userId).toBe(id);
      expect([await worksFor(own.token), await worksFor(foreign.token)]).toEqual([true, false]);
      expect([await worksFor(session), await canSignIn(name)]).toEqual([false, false]);
      await loseStore();
      expect((await enter(name)).userId).toBe(id);
    });

    it.each<[string, (id: string) => string]>([
      ["the listing of its tokens", (id) => `GET /users/${id}/tokens`],
      ["the revoking of a token", () => "POST /users/tokens/revoke"],
      ["the end of its sessions", (id) => `POST /users/${id}/sessions/revoke/all`],
    ])("keeps nobody in when %s failed, and is the account's when it comes back", async (_, callOf) => {
      const name = await chat.newAccount();
      const { id, session } = await signUp(name, formerAddress(name));
      const [made, foreign] = [await mintToken(id, "hivegate chat 2026-01-01"), await mintToken(id)];
      await withStore((store) => store.set(`placed:${id}`, '["hive-100001"]'));
      chat.proxy.treat(({ method, path }) =>
        `${method} ${path}` === callOf(id) ? { status: 500, text: "{}" } : "pass",
      );
      expect((await bootstrap(name)).body.token).toBeUndefined();
      chat.proxy.treat(() => "pass");
      await restart();
      expect((await enter(name)).userId).toBe(id);
      expect([await worksFor(made.token), await worksFor(foreign.token)]).toEqual([false, false]);
      expect([await worksFor(session), await canSignIn(name)]).toEqual([false, false]);
    });

    it("is adopted without any of its tokens, however many there are", async () => {
      const name = await chat.newAccount();
      const { id } = await signUp(name, formerAddress(name));
      for (let count = 0; count < 200; count++) await mintToken(id);
      const last = await mintToken(id);
      await withStore((store) => store.set(`placed:${id}`, '["hive-100001"]'));
      await enter(name);
      expect(await worksFor(last.token)).toBe(false);
      expect(await chat.tokensOf(id)).toHaveLength(1);
    });

    it("is adopted by a token that a gateway made, when the store with it is lost", async () => {
      const name = await chat.newAccount();
      const { id } = await signUp(name, formerAddress(name));
      await mintToken(id, "hivegate chat 2026-01-01T00:00:00.000Z");
      expect((await enter(name)).userId).toBe(id);
      expect(await canSignIn(name)).toBe(false);
    });

    it("is adopted by the note of an earlier bootstrap, when it logged out since", async () => {
      const name = await chat.newAccount();
      const { id } = await signUp(name, formerAddress(name));
      await withStore((store) => store.set(`placed:${id}`, '["hive-100001"]'));
      expect((await enter(name)).userId).toBe(id);
      expect(await canSignIn(name)).toBe(false);
    });

    it("is adopted and called by its name again when it was renamed", async () => {
      const name = await chat.newAccount();
      const { id } = await signUp(name, formerAddress(name));
      await storeToken(name, await mintToken(id), id);
      await rename(id, `${name}-renamed`);
      expect((await enter(name)).userId).toBe(id);
      expect(await nameOf(id)).toBe(name);
    });

    it("is not the one that an earlier version let it into, who was made for another account", async () => {
      const [mallory, shop] = [await chat.newAccount(), await chat.newAccount()];
      const { id } = await signUp(mallory, formerAddress(mallory));
      const [hers, mistaken] = [await mintToken(id), await mintToken(id)];
      await storeToken(mallory, hers, id);
      await storeToken(shop, mistaken, id);
      await rename(id, shop);
      await expectRefused(shop);
      expect((await enter(mallory)).userId).toBe(id);
      expect([await worksFor(hers.token), await worksFor(mistaken.token)]).toEqual([true, false]);
      expect((await enter(shop)).userId).not.toBe(id);
    });

    it("takes back the token that let it into a user who is bound to somebody else", async () => {
      const [mallory, shop] = [await chat.newAccount(), await chat.newAccount()];
      const hers = await enter(mallory);
      const mistaken = await mintToken(hers.userId);
      await storeToken(shop, mistaken, hers.userId);
      await rename(hers.userId, shop, hers.token);
      await expectRefused(shop);
      expect([await worksFor(hers.token), await worksFor(mistaken.token)]).toEqual([true, false]);
    });

    it("is left to the operator when its address is not the gateway's: it may be another person's", async () => {
      const name = await chat.newAccount();
      const { id, session } = await signUp(name);
      await storeToken(name, await mintToken(id), id);
      await expectRefused(name);
      expect([await worksFor(session), await canSignIn(name)]).toEqual([true, true]);
    });
  });
});
