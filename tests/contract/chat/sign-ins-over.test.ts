import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { watchSignIns } from "#lib/chat/caller/watch-sign-ins.ts";
import { createAuthClient } from "../../harness/auth-client.ts";
import { formAccessToken, postingKey } from "../../harness/form-access-token.ts";
import { soon } from "../../harness/soon.ts";
import { request, requestBootstrap } from "../../harness/start-chat.ts";
import { startSandboxChain } from "../../harness/start-sandbox-chain.ts";
import { useChat } from "../../harness/use-chat.ts";
import { openWebsocket } from "../../websocket/open-websocket.ts";

const authorityOf = (key: ReturnType<typeof postingKey>) => ({
  weight_threshold: 1,
  account_auths: [],
  key_auths: [[key.createPublic("STM").toString(), 1]],
});

describe("sign-ins", () => {
  const world = useChat();
  const auth = createAuthClient(() => world.gateway.url);
  let endWatch = () => {};
  let name: string;
  const watch = () => {
    endWatch = watchSignIns(() => world.gateway.services.chat, { everyMs: 20, roundSeconds: 1 });
  };
  beforeEach(async () => {
    name = await world.chat.newAccount();
  });
  afterEach(() => endWatch());

  const newKey = postingKey("somebody-else");
  const setKey = (key: ReturnType<typeof postingKey>, at = world.chat.chain) =>
    at.setAccount({ name, posting: authorityOf(key) });
  /** Changes the key in a block that is later than everything signed before. */
  const changeKey = async (at = world.chat.chain) => {
    await setKey(newKey, at);
    await at.advanceTime(15);
    await at.produceBlocks();
  };
  const enter = async (accessToken: unknown = formAccessToken(name)) => {
    const { status, body } = await requestBootstrap(world.gateway.url, name, { accessToken });
    expect(status).toBe(200);
    return body;
  };
  const statusOf = async (token: string) =>
    (await world.chat.ask("GET", "/users/me", undefined, token)).status;
  /** Resolves after a complete round of checks that started after this call. */
  const rounds = async () => {
    const begun = () => world.chat.calls().filter((call) => call === "POST /users/ids").length;
    const before = begun();
    await soon(() => expect(begun()).toBeGreaterThan(before + 1));
  };

  describe("after a change of the posting key", () => {
    it("end with their tokens and websockets, while those of the new key continue", async () => {
      const { token } = await enter();
      const { closed } = await openWebsocket(world.gateway.url, `?token=${token}`);
      watch();
      await rounds();
      expect(await statusOf(token)).toBe(200);
      await changeKey();
      expect((await closed).code).toBe(1008);
      expect(await statusOf(token)).toBe(401);
      const own = await soon(() => enter(formAccessToken(name, { key: newKey })));
      expect(own.token).not.toBe(token);
      await rounds();
      expect(await statusOf(own.token)).toBe(200);
      const again = await requestBootstrap(world.gateway.url, name);
      expect(again.status).toBe(401);
    });

    it("end even if no websocket was open at the change and the watch started later", async () => {
      const { token } = await enter();
      await changeKey();
      watch();
      await soon(async () => expect(await statusOf(token)).toBe(401));
    });

    it("end with the logins that opened them, whose access and refresh tokens are then refused", async () => {
      const message = await auth.challenge(name);
      const login = await auth.answer(message, postingKey(name), name);
      const { token } = await enter(login.body.accessToken);
      await changeKey();
      watch();
      await soon(async () => expect(await statusOf(token)).toBe(401));
      const { accessToken, refreshToken } = login.body;
      expect((await requestBootstrap(world.gateway.url, name, { accessToken })).status).toBe(401);
      expect((await auth.refresh(refreshToken)).status).toBe(401);
    });

    it("continue while only one node of three reports the change", async () => {
      const others = await Promise.all([startSandboxChain(), startSandboxChain()]);
      for (const chain of others) await chain.setAccount({ name });
      await world.restart({
        settings: { HIVE_NODES: [world.chat.chain, ...others].map(({ url }) => url).join() },
      });
      const { token } = await enter();
      await changeKey();
      watch();
      await rounds();
      expect(await statusOf(token)).toBe(200);
      for (const chain of others) await changeKey(chain);
      await soon(async () => expect(await statusOf(token)).toBe(401));
      for (const chain of others) await chain.close();
    });

    it("continue while two nodes of three lag behind the block with the new key", async () => {
      const others = await Promise.all([startSandboxChain(), startSandboxChain()]);
      await world.restart({
        settings: { HIVE_NODES: [world.chat.chain, ...others].map(({ url }) => url).join() },
      });
      await changeKey();
      for (const chain of others) await chain.setAccount({ name, posting: authorityOf(newKey) });
      const { token } = await enter(formAccessToken(name, { key: newKey }));
      for (const chain of others) await setKey(postingKey(name), chain);
      watch();
      await rounds();
      await rounds();
      expect(await statusOf(token)).toBe(200);
      for (const chain of others) await changeKey(chain);
      await rounds();
      expect(await statusOf(token)).toBe(200);
      for (const chain of others) await chain.close();
    });

    it("continue while the chain is down and end when it is back", async () => {
      const { token } = await enter();
      await changeKey();
      await world.chat.chain.setFault({ kind: "cut" });
      watch();
      expect(await statusOf(token)).toBe(200);
      await world.chat.chain.clearFaults();
      await soon(async () => expect(await statusOf(token)).toBe(401));
    });
  });

  describe("from a lost store", () => {
    /** Creates a chat token whose sign-in can no longer be listed. */
    const orphan = async () => {
      const { token, userId } = await enter();
      await world.restart();
      expect(await statusOf(token)).toBe(200);
      return { token, userId };
    };
    const found = () => soon(() => expect(world.chat.calls()).toContain("GET /users/tokens"));
    /** Resolves after the last page of the list. */
    const searched = () =>
      soon(async () =>
        expect(await world.gateway.services.chat.store.get("unlisted-tokens:found")).toBe("done"),
      );
    /** Changes a key in a block later than the token. */
    const changeLater = async () => {
      await world.chat.chain.advanceTime(15);
      await world.chat.chain.produceBlocks();
      await changeKey();
    };

    it("continue until their account's keys change", async () => {
      const { token } = await orphan();
      const { closed } = await openWebsocket(world.gateway.url, `?token=${token}`);
      watch();
      await found();
      expect(await statusOf(token)).toBe(200);
      await changeLater();
      expect((await closed).code).toBe(1008);
      await soon(async () => expect(await statusOf(token)).toBe(401));
    });

    it("end if their account's keys have changed before the watch starts", async () => {
      const { token } = await orphan();
      await changeLater();
      const { token: own } = await enter(formAccessToken(name, { key: newKey }));
      watch();
      await soon(async () => expect(await statusOf(token)).toBe(401));
      expect(await statusOf(own)).toBe(200);
    });

    it("end if their user has become an administrator", async () => {
      const { token, userId } = await orphan();
      const roles = (names: string) => world.chat.ask("PUT", `/users/${userId}/roles`, { roles: names });
      await roles("system_user system_admin");
      watch();
      await soon(async () => expect(await statusOf(token)).toBe(401));
      await roles("system_user");
    });

    it("are searched for once by all processes together, not in every round", async () => {
      await orphan();
      watch();
      const second = watchSignIns(() => world.gateway.services.chat, { everyMs: 20, roundSeconds: 1 });
      await searched();
      world.chat.proxy.forget();
      const signedIn = await world.chat.newAccount();
      await requestBootstrap(world.gateway.url, signedIn);
      await rounds();
      second();
      expect(world.chat.calls()).not.toContain("GET /users/tokens");
    });

    it("end even if one reading of Mattermost's list missed them", async () => {
      const { token } = await orphan();
      const { store } = world.gateway.services.chat;
      watch();
      await searched();
      let readings = 0;
      world.chat.proxy.treat(({ path }) =>
        path === "/users/tokens" && readings++ === 0 ? { status: 200, text: "[]" } : "pass",
      );
      await store.deleteIf("unlisted-tokens:found", "done");
      await soon(() => expect(readings).toBeGreaterThan(1));
      await searched();
      await changeLater();
      await soon(async () => expect(await statusOf(token)).toBe(401));
    });

    it("end after a key change even if an earlier version stored them without a key", async () => {
      const { token, userId } = await enter();
      const { vault } = world.gateway.services.chat;
      const entry = await vault.read(name);
      const [{ tokenId } = { tokenId: "" }] = entry.signIns;
      const former = {
        userId,
        tokenId,
        token,
        proof: "",
        key: null,
        userAgent: "",
        openedAtMs: 0,
        seenAtMs: 0,
      };
      await vault.write(name, entry, { signIns: [former], endedBeforeMs: 0 });
      watch();
      await found();
      expect(await statusOf(token)).toBe(200);
      await changeLater();
      await soon(async () => expect(await statusOf(token)).toBe(401));
      expect((await vault.read(name)).signIns).toEqual([]);
    });
  });

  describe("of a user who became an administrator", () => {
    const promote = async (userId: string) =>
      expect(
        (await world.chat.ask("PUT", `/users/${userId}/roles`, { roles: "system_user system_admin" })).status,
      ).toBe(200);
    const demote = (userId: string) =>
      world.chat.ask("PUT", `/users/${userId}/roles`, { roles: "system_user" });

    it("end at once on Mattermost's event", async () => {
      const { token, userId } = await enter();
      const { closed } = await openWebsocket(world.gateway.url, `?token=${token}`);
      await promote(userId);
      expect((await closed).code).toBe(1008);
      expect(await statusOf(token)).toBe(401);
      await demote(userId);
    });

    it("end, with all of the user's other tokens, even if no websocket was open", async () => {
      const { token, userId } = await enter();
      const { token: other } = await enter(formAccessToken(name, { secondsAgo: 99 }));
      await promote(userId);
      expect(await statusOf(token)).toBe(200);
      watch();
      await soon(async () => expect([await statusOf(token), await statusOf(other)]).toEqual([401, 401]));
      expect((await requestBootstrap(world.gateway.url, name)).status).toBe(403);
      const headers = { authorization: `Bearer ${token}` };
      expect((await request("GET", `${world.gateway.url}/api/chat/me`, undefined, headers)).status).toBe(401);
      await demote(userId);
      expect((await enter()).token).not.toBe(token);
    });

    it("end without affecting other users' sign-ins", async () => {
      const { userId } = await enter();
      const { token: bob } = (await requestBootstrap(world.gateway.url, "bob")).body;
      const { socket } = await openWebsocket(world.gateway.url, `?token=${bob}`);
      watch();
      await promote(userId);
      await rounds();
      expect([await statusOf(bob), socket.readyState]).toEqual([200, 1]);
      socket.close();
      await demote(userId);
    });
  });
});
