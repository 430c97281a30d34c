import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { createPatVault } from "../../lib/chat/access/pat-vault.ts";
import { Secret } from "../../lib/secret.ts";
import { createSqliteStore } from "../../lib/store/sqlite-store.ts";
import type { Store } from "../../lib/store/store.ts";
import { type Chat, requestBootstrap, startChat } from "./start-chat.ts";
import { type Gateway, startGateway } from "./start-gateway.ts";

const PASSWORD = "Chosen-by-hand-1";
export const secret = new Secret("0123456789abcdef0123456789abcdef");
/** Returns the e-mail address that earlier versions assigned. */
export const formerAddress = (account: string) => `${account}@users.hivegate.invalid`;

/**
 * Provides a gateway with a new store for each test, and the actions of its accounts and of outsiders at
 * Mattermost.
 */
export function useIdentities() {
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
  /** Signs a person up at Mattermost itself, and signs them in there. */
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
  /** Stores a chat token for the account, as installations did before bindings existed. */
  const storeToken = (account: string, pat: { id: string; token: string }, userId: string) =>
    withStore(async (store) => {
      const vault = createPatVault({ store, secret });
      const former = { userId, tokenId: pat.id, token: pat.token };
      const times = { openedAtMs: 0, seenAtMs: 0 };
      const signIns = [{ ...former, ...times, proof: "", key: null, userAgent: "" }];
      await vault.write(account, await vault.read(account), { signIns, endedBeforeMs: 0 });
    });

  return {
    chat: () => chat,
    gateway: () => gateway,
    restart,
    loseStore,
    withStore,
    bootstrap,
    enter,
    expectRefused,
    nameOf,
    rename,
    signUp,
    mintToken,
    worksFor,
    canSignIn,
    storeToken,
  };
}
