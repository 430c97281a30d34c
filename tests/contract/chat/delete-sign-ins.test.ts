import { beforeEach, describe, expect, it } from "vitest";
import { type AuthAnswer, createAuthClient } from "../../harness/auth-client.ts";
import { formAccessToken, postingKey } from "../../harness/form-access-token.ts";
import { request, requestBootstrap } from "../../harness/start-chat.ts";
import { useChat } from "../../harness/use-chat.ts";
import { openWebsocket } from "../../websocket/open-websocket.ts";

describe("ending sign-ins", () => {
  const world = useChat();
  const auth = createAuthClient(() => world.gateway.url);
  const began = Math.floor(Date.now() / 1000);
  let name: string;
  beforeEach(async () => {
    name = await world.chat.newAccount();
  });

  const tokenOf = (secondsAgo: number) => formAccessToken(name, { timestamp: began - secondsAgo });
  const bootstrap = (accessToken: unknown, account = name) =>
    requestBootstrap(world.gateway.url, account, { accessToken });
  const enter = async (accessToken: unknown, account = name) => {
    const { status, body } = await bootstrap(accessToken, account);
    expect(status).toBe(200);
    return body.token;
  };
  const ask = (method: string, path: string, token: string) =>
    request<{ signIns: Array<{ id: string; isCurrent: boolean }> }>(
      method,
      `${world.gateway.url}/api/chat${path}`,
      undefined,
      { authorization: `Bearer ${token}` },
    );
  const works = async (token: string) => (await ask("GET", "/me", token)).status === 200;
  const worksAtMattermost = async (token: string) =>
    (await world.chat.ask("GET", "/users/me", undefined, token)).status === 200;
  const otherOf = async (token: string) =>
    (await ask("GET", "/sign-ins", token)).body.signIns.find(({ isCurrent }) => !isCurrent)?.id;

  describe("DELETE /api/chat/sign-ins/{signInId}", () => {
    it("revokes the sign-in's token, closes its websockets and leaves other sign-ins alone", async () => {
      const [own, other] = [await enter(tokenOf(60)), await enter(tokenOf(120))];
      const [mine, theirs] = await Promise.all(
        [own, other].map((token) => openWebsocket(world.gateway.url, `?token=${token}`)),
      );
      expect(await ask("DELETE", `/sign-ins/${await otherOf(own)}`, own)).toMatchObject({
        status: 200,
        body: { ok: true },
      });
      expect((await theirs?.closed)?.code).toBe(1008);
      expect([await worksAtMattermost(other), await works(other)]).toEqual([false, false]);
      expect(await works(own)).toBe(true);
      expect(mine?.socket.readyState).toBe(1);
      expect(await otherOf(own)).toBeUndefined();
    });

    it("shuts out the sign-in's access token, but not others signed with the same key", async () => {
      const own = await enter(tokenOf(60));
      await enter(tokenOf(120));
      await ask("DELETE", `/sign-ins/${await otherOf(own)}`, own);
      expect(await bootstrap(tokenOf(120))).toMatchObject({ status: 401, body: { code: "unauthorized" } });
      expect(await enter(tokenOf(60))).toBe(own);
      await enter(tokenOf(30));
    });

    it("ends the login that opened the chat: access token, refresh token and cookie", async () => {
      const own = await enter(formAccessToken("alice"), "alice");
      const login = await auth.login();
      await enter(login.body.accessToken, "alice");
      await ask("DELETE", `/sign-ins/${await otherOf(own)}`, own);
      expect((await bootstrap(login.body.accessToken, "alice")).status).toBe(401);
      const headers = { ...auth.cookieOf(login), ...auth.sameSite };
      expect((await auth.send("GET", "/api/auth/session", { headers })).status).toBe(401);
      expect((await auth.refresh(login.body.refreshToken)).status).toBe(401);
    });

    it("ends a token that the same access token is opening meanwhile", async () => {
      const own = await enter(tokenOf(60));
      await enter(tokenOf(120));
      const id = (await otherOf(own)) ?? "";
      // The sign-in is listed, and its next bootstrap creates a token again.
      await world.chat.ask("POST", "/users/tokens/revoke", { token_id: id });
      const hold = (path: string) => {
        const held = { release: () => {}, reached: () => {} };
        const until = new Promise<void>((resolve) => {
          held.release = resolve;
        });
        const reached = new Promise<void>((resolve) => {
          held.reached = resolve;
        });
        return { path, until, reached, held };
      };
      const [mint, revoke] = [hold("/tokens"), hold("/users/tokens/revoke")];
      world.chat.proxy.treat(({ method, path }) => {
        const one = [revoke, mint].find((some) => method === "POST" && path.endsWith(some.path));
        one?.held.reached();
        return one ? { until: one.until } : "pass";
      });
      try {
        const opening = bootstrap(tokenOf(120));
        opening.catch(() => undefined);
        await mint.reached;
        const ending = ask("DELETE", `/sign-ins/${id}`, own);
        ending.catch(() => undefined);
        await revoke.reached;
        mint.held.release();
        revoke.held.release();
        expect((await ending).status).toBe(200);
        expect((await opening).status).toBe(401);
        expect(await otherOf(own)).toBeUndefined();
      } finally {
        mint.held.release();
        revoke.held.release();
        world.chat.proxy.treat(() => "pass");
      }
    });

    it("returns 404 for another account's sign-in, an ended one and a malformed id", async () => {
      const stranger = await world.chat.newAccount();
      const [own, other] = [await enter(tokenOf(60)), await enter(tokenOf(120))];
      const theirs = await enter(formAccessToken(stranger), stranger);
      const id = await otherOf(own);
      expect((await ask("DELETE", `/sign-ins/${id}`, theirs)).status).toBe(404);
      expect(await works(other)).toBe(true);
      expect((await ask("DELETE", `/sign-ins/${id}`, own)).status).toBe(200);
      for (const gone of [id, "x", "a".repeat(26)])
        expect((await ask("DELETE", `/sign-ins/${gone}`, own)).status).toBe(404);
    });

    it("returns 502 and keeps the sign-in while Mattermost is down, and ends it on the next try", async () => {
      const [own, other] = [await enter(tokenOf(60)), await enter(tokenOf(120))];
      const id = await otherOf(own);
      world.chat.proxy.treat(({ path }) => (path === "/users/tokens/revoke" ? "cut" : "pass"));
      expect((await ask("DELETE", `/sign-ins/${id}`, own)).status).toBe(502);
      world.chat.proxy.treat(() => "pass");
      expect(await otherOf(own)).toBe(id);
      expect((await ask("DELETE", `/sign-ins/${id}`, own)).status).toBe(200);
      expect(await works(other)).toBe(false);
    });
  });

  describe("DELETE /api/chat/sign-ins", () => {
    it("ends all but the caller's sign-in, including signed access tokens not used yet", async () => {
      const tokens = [await enter(tokenOf(60)), await enter(tokenOf(120)), await enter(tokenOf(180))];
      const [own = "", ...others] = tokens;
      expect((await ask("DELETE", "/sign-ins", own)).status).toBe(200);
      for (const token of others)
        expect([await works(token), await worksAtMattermost(token)]).toEqual([false, false]);
      expect(await works(own)).toBe(true);
      for (const ago of [120, 180, 240]) expect((await bootstrap(tokenOf(ago))).status).toBe(401);
      expect(await enter(tokenOf(60))).toBe(own);
      await enter(formAccessToken(name, { timestamp: Math.floor(Date.now() / 1000) + 30 }));
    });

    it("ends a login that has not opened the chat yet, but not a later login", async () => {
      const own = await enter(formAccessToken("alice"), "alice");
      const login = await auth.login();
      await ask("DELETE", "/sign-ins", own);
      expect((await bootstrap(login.body.accessToken, "alice")).status).toBe(401);
      await enter((await auth.login()).body.accessToken, "alice");
    });

    it("ends the cookies and refresh tokens of the user's other logins, whether or not they opened the chat", async () => {
      const logins = [await auth.login(), await auth.login(), await auth.login()];
      const [mine, silent, chatting] = logins;
      const stranger = await auth.answer(await auth.challenge("bob"), postingKey("bob"), "bob");
      const own = await enter(mine?.body.accessToken, "alice");
      await enter(chatting?.body.accessToken, "alice");
      expect((await ask("DELETE", "/sign-ins", own)).status).toBe(200);

      const statusesOf = async (login: AuthAnswer | undefined) => {
        if (!login) return [];
        const headers = { ...auth.cookieOf(login), ...auth.sameSite };
        const session = await auth.send("GET", "/api/auth/session", { headers });
        const renewed = await auth.send("POST", "/api/auth/refresh", { body: {}, headers });
        return [session.status, renewed.status, (await auth.refresh(login.body.refreshToken)).status];
      };
      expect(await statusesOf(silent)).toEqual([401, 401, 401]);
      expect(await statusesOf(chatting)).toEqual([401, 401, 401]);
      expect(await statusesOf(mine)).toEqual([200, 200, 200]);
      expect(await statusesOf(stranger)).toEqual([200, 200, 200]);
      expect(await statusesOf(await auth.login())).toEqual([200, 200, 200]);
    });

    it("ends tokens whose records were lost with the store", async () => {
      const lost = await enter(tokenOf(60));
      await world.restart();
      const own = await enter(tokenOf(60));
      await ask("DELETE", "/sign-ins", own);
      expect([await worksAtMattermost(lost), await worksAtMattermost(own)]).toEqual([false, true]);
    });
  });

  it("returns 403 for a cookie from another site", async () => {
    const own = await enter(tokenOf(60));
    const headers = { cookie: `chat_pat=${own}`, "sec-fetch-site": "cross-site" };
    for (const path of ["/sign-ins", `/sign-ins/${"a".repeat(26)}`])
      expect(
        (await request("DELETE", `${world.gateway.url}/api/chat${path}`, undefined, headers)).status,
      ).toBe(403);
  });
});
