import { describe, expect, it } from "vitest";
import { signInOf } from "#lib/chat/caller/pat-owners.ts";
import { formAccessToken } from "../../harness/form-access-token.ts";
import { request, requestBootstrap } from "../../harness/start-chat.ts";
import { useChat } from "../../harness/use-chat.ts";

describe("POST /api/chat/logout", () => {
  const world = useChat();

  const enter = async (name = "alice") => (await requestBootstrap(world.gateway.url, name)).body;
  const leave = (headers: Record<string, string>) =>
    request("POST", `${world.gateway.url}/api/chat/logout`, undefined, headers);
  const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
  const worksAtMattermost = async (token: string) =>
    (await world.chat.ask("GET", "/users/me", undefined, token)).status === 200;

  it("revokes the PAT and clears the cookie", async () => {
    const { token } = await enter();
    expect(await worksAtMattermost(token)).toBe(true);
    const { status, body, cookie } = await leave(bearer(token));
    expect({ status, body }).toEqual({ status: 200, body: { ok: true } });
    expect(cookie).toBe("chat_pat=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure");
    expect(await worksAtMattermost(token)).toBe(false);
  });

  it("lets the next bootstrap create a new PAT", async () => {
    const { token } = await enter();
    await leave(bearer(token));
    const again = await enter();
    expect(again.token).not.toBe(token);
    expect(await worksAtMattermost(again.token)).toBe(true);
  });

  it("accepts the cookie from this site, and returns 403 for the cookie from another one", async () => {
    const { token } = await enter();
    const cookie = `chat_pat=${token}`;
    expect((await leave({ cookie, "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect(await worksAtMattermost(token)).toBe(true);
    expect((await leave({ cookie, "sec-fetch-site": "same-origin" })).status).toBe(200);
  });

  it("returns 401 without a PAT, for a malformed one, and the second time", async () => {
    const { token } = await enter();
    await leave(bearer(token));
    for (const headers of [{}, bearer(""), bearer("x"), bearer("a".repeat(26)), bearer(token)])
      expect(await leave(headers)).toMatchObject({ status: 401, body: { code: "unauthorized" } });
  });

  it("revokes a PAT that was issued before a store loss, and leaves the current one", async () => {
    const old = await enter();
    await world.restart();
    const present = await enter();
    expect(present.token).not.toBe(old.token);
    expect((await leave(bearer(old.token))).status).toBe(200);
    expect(await worksAtMattermost(old.token)).toBe(false);
    expect(await worksAtMattermost(present.token)).toBe(true);
  });

  describe("with a token that the gateway did not issue", () => {
    const tokenOf = async (userId: string): Promise<string> =>
      String(
        (await world.chat.ask("POST", `/users/${userId}/tokens`, { description: "a script" })).body.token,
      );

    it("revokes only that token", async () => {
      const own = await enter(await world.chat.newAccount());
      const [foreign, other] = [await tokenOf(own.userId), await tokenOf(own.userId)];
      expect(await worksAtMattermost(other)).toBe(true);
      expect((await leave(bearer(foreign))).status).toBe(200);
      expect(await worksAtMattermost(foreign)).toBe(false);
      expect((await leave(bearer(foreign))).status).toBe(401);
      for (const token of [own.token, other]) expect(await worksAtMattermost(token)).toBe(true);
      expect(await world.chat.tokensOf(own.userId)).toHaveLength(2);
    });

    it("ends the session of a Mattermost login", async () => {
      const name = await world.chat.newAccount();
      const own = await enter(name);
      const password = "Passw0rd!abcdef";
      await world.chat.ask("PUT", `/users/${own.userId}/password`, { new_password: password });
      const login = await world.chat.ask("POST", "/users/login", { login_id: name, password });
      const session = login.headers.get("token") ?? "";
      expect(await worksAtMattermost(session)).toBe(true);
      expect((await leave(bearer(session))).status).toBe(200);
      expect(await worksAtMattermost(session)).toBe(false);
      expect(await worksAtMattermost(own.token)).toBe(true);
    });

    it("ends the right session after reading an outdated list, and returns 503 if no list contains it", async () => {
      const own = await enter();
      const foreign = await tokenOf(own.userId);
      let readings = 0;
      const stale = [{ id: "gone1", props: { user_access_token_id: "x".repeat(26) } }, { id: "gone2" }];
      world.chat.proxy.treat(({ path }) =>
        path === `/users/${own.userId}/sessions` && readings++ === 0
          ? { status: 200, text: JSON.stringify(stale) }
          : "pass",
      );
      expect((await leave(bearer(foreign))).status).toBe(200);
      expect(await worksAtMattermost(foreign)).toBe(false);
      expect(await worksAtMattermost(own.token)).toBe(true);
      world.chat.proxy.treat(({ path }) =>
        path === `/users/${own.userId}/sessions` ? { status: 200, text: "[]" } : "pass",
      );
      expect(await leave(bearer(await tokenOf(own.userId)))).toMatchObject({
        status: 503,
        body: { code: "overloaded" },
        cookie: "",
      });
    });
  });

  it("leaves other users' PATs alone", async () => {
    const [alice, bob] = [await enter("alice"), await enter("bob")];
    await leave(bearer(alice.token));
    expect(await worksAtMattermost(bob.token)).toBe(true);
  });

  it("closes only the ended sign-in's sockets", async () => {
    const device = formAccessToken("alice", { secondsAgo: 60 });
    const { body: other } = await requestBootstrap(world.gateway.url, "alice", { accessToken: device });
    const closed: string[] = [];
    const startedAtMs = performance.now();
    const open = ({ userId, token }: typeof other, name: string) => {
      const signIn = signInOf(token);
      const close = (code: number) => closed.push(`${name} ${code}`);
      world.gateway.services.sockets.register({ userId, signIn }, startedAtMs, close);
    };
    const own = await enter("alice");
    open(own, "alice");
    open(other, "alice's other device");
    open(await enter("bob"), "bob");
    await leave(bearer(own.token));
    expect(closed).toEqual(["alice 1008"]);
  });

  it("returns 502 and keeps the cookie while the PAT can't be revoked, and succeeds on the next try", async () => {
    const { token } = await enter();
    world.chat.proxy.treat(({ path }) => (path === "/users/tokens/revoke" ? "cut" : "pass"));
    expect(await leave(bearer(token))).toMatchObject({ status: 502, cookie: "" });
    world.chat.proxy.treat(() => "pass");
    expect((await leave(bearer(token))).status).toBe(200);
    expect(await worksAtMattermost(token)).toBe(false);
  });

  it("returns 502 when the answer to the revocation is lost, although the PAT is revoked", async () => {
    const { token } = await enter();
    world.chat.proxy.treat(({ path }) => (path === "/users/tokens/revoke" ? "lose-answer" : "pass"));
    expect((await leave(bearer(token))).status).toBe(502);
    world.chat.proxy.treat(() => "pass");
    expect((await leave(bearer(token))).status).toBe(401);
    const again = await enter();
    expect(await worksAtMattermost(again.token)).toBe(true);
  });

  it("takes two Mattermost calls", async () => {
    const { token } = await enter();
    world.chat.proxy.forget();
    await leave(bearer(token));
    expect(world.chat.calls()).toEqual(["GET /users/me", "POST /users/tokens/revoke"]);
  });
});
