import { afterEach, describe, expect, it, vi } from "vitest";
import { createAuthClient } from "../../harness/auth-client.ts";
import { formAccessToken } from "../../harness/form-access-token.ts";
import { request, requestBootstrap } from "../../harness/start-chat.ts";
import { useChat } from "../../harness/use-chat.ts";

type Listed = { id: string; program?: string; system?: string; app?: string; isCurrent: boolean };

describe("GET /api/chat/sign-ins", () => {
  const world = useChat();
  const auth = createAuthClient(() => world.gateway.url);
  const enter = async (name: string, accessToken: unknown) => {
    const { status, body } = await requestBootstrap(world.gateway.url, name, { accessToken });
    expect(status).toBe(200);
    return body;
  };
  const list = async (token: string, at = world.gateway.url) => {
    const headers = { authorization: `Bearer ${token}` };
    const { status, body } = await request<{ signIns: Listed[] }>(
      "GET",
      `${at}/api/chat/sign-ins`,
      undefined,
      headers,
    );
    expect(status).toBe(200);
    return body.signIns;
  };

  it("issues one token for each sign-in, even for repeated and simultaneous calls", async () => {
    const name = await world.chat.newAccount();
    const [one, two] = [60, 120].map((ago) => formAccessToken(name, { secondsAgo: ago }));
    const opened = await Promise.all(
      [one, one, two, one, two].map((accessToken) => enter(name, accessToken)),
    );
    const [first, , second] = opened;
    expect(first?.token).not.toBe(second?.token);
    expect(opened.map(({ token }) => token)).toEqual(
      [first, first, second, first, second].map((body) => body?.token),
    );
    expect((await enter(name, one)).token).toBe(first?.token);
    expect(await list(first?.token ?? "")).toHaveLength(2);
  });

  it("treats other encodings of an access token as the same sign-in", async () => {
    const name = await world.chat.newAccount();
    const options = { secondsAgo: 60 };
    const { token } = await enter(name, formAccessToken(name, options));
    for (const again of [
      formAccessToken(name, { ...options, encoding: "base64" }),
      `${formAccessToken(name, options).replace(/=+$/, "")}=`,
      formAccessToken(name, { ...options, finish: ({ signatures, ...rest }) => ({ signatures, ...rest }) }),
    ])
      expect((await enter(name, again)).token).toBe(token);
  });

  it("issues one token for all access tokens of a login, and a different one for each login", async () => {
    const { body: login } = await auth.login();
    const { token } = await enter("alice", login.accessToken);
    const { body: renewed } = await auth.refresh(login.refreshToken);
    expect(renewed.accessToken).not.toBe(login.accessToken);
    expect((await enter("alice", renewed.accessToken)).token).toBe(token);
    expect((await enter("alice", (await auth.login()).body.accessToken)).token).not.toBe(token);
  });

  it("lists the device, app and times of each sign-in, the caller's first, without tokens", async () => {
    const name = await world.chat.newAccount();
    const accessToken = formAccessToken(name, { secondsAgo: 90 });
    const agents = {
      firefox: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      bot: "my-bot/1.2",
    };
    const send = async (userAgent: string, secondsAgo: number) => {
      const response = await fetch(`${world.gateway.url}/api/chat/bootstrap`, {
        method: "POST",
        headers: { "content-type": "application/json", "user-agent": userAgent },
        body: JSON.stringify({ username: name, accessToken: formAccessToken(name, { secondsAgo }) }),
      });
      return ((await response.json()) as { token: string }).token;
    };
    const own = await send(agents.firefox, 300);
    const bot = await send(agents.bot, 200);
    const { token: last } = await enter(name, accessToken);
    const listed = await list(own);
    expect(listed.map(({ isCurrent }) => isCurrent)).toEqual([true, false, false]);
    expect(listed[0]).toMatchObject({ program: "Firefox", system: "Linux", app: "hivegate" });
    expect(listed.map(({ program }) => program)).toContain("my-bot");
    const now = Date.now();
    for (const { openedAt, seenAt } of listed as unknown as Record<string, string>[])
      for (const time of [openedAt, seenAt]) expect(now - Date.parse(time ?? "")).toBeLessThan(600_000);
    for (const secret of [own, bot, last, accessToken]) expect(JSON.stringify(listed)).not.toContain(secret);
  });

  it("hides other accounts' sign-ins", async () => {
    const [alice, bob] = [await world.chat.newAccount(), await world.chat.newAccount()];
    await enter(alice, formAccessToken(alice));
    const { token } = await enter(bob, formAccessToken(bob));
    expect(await list(token)).toHaveLength(1);
  });

  it("keeps at most twenty sign-ins, and ends the least recently used", async () => {
    const name = await world.chat.newAccount();
    const tokens: string[] = [];
    for (let ago = 21; ago > 0; ago--)
      tokens.push((await enter(name, formAccessToken(name, { secondsAgo: ago * 100 }))).token);
    expect(await list(tokens[20] ?? "")).toHaveLength(20);
    const headers = { authorization: `Bearer ${tokens[0]}` };
    expect((await request("GET", `${world.gateway.url}/api/chat/me`, undefined, headers)).status).toBe(401);
  });

  it("returns 401 without a token", async () => {
    expect((await request("GET", `${world.gateway.url}/api/chat/sign-ins`)).status).toBe(401);
  });

  describe("marking a sign-in as used after ten minutes", () => {
    afterEach(() => void vi.restoreAllMocks());
    const passTenMinutes = () => {
      const now = Date.now.bind(Date);
      vi.spyOn(Date, "now").mockImplementation(() => now() + 660_000);
    };

    it("fails neither it nor another sign-in that is opening", async () => {
      const name = await world.chat.newAccount();
      const accessToken = formAccessToken(name);
      const { token } = await enter(name, accessToken);
      passTenMinutes();
      let isMinting = false;
      world.chat.proxy.treat(({ method, path }) => {
        if (method !== "POST" || !path.endsWith("/tokens")) return "pass";
        isMinting = true;
        return { delayMs: 1000 };
      });
      const opening = enter(name, formAccessToken(name, { secondsAgo: 30 }));
      await expect.poll(() => isMinting).toBe(true);
      expect((await enter(name, accessToken)).token).toBe(token);
      const other = await opening;
      expect(await list(other.token)).toHaveLength(2);
    });

    it("does not fail the request when the store fails", async () => {
      const name = await world.chat.newAccount();
      const accessToken = formAccessToken(name);
      const { token } = await enter(name, accessToken);
      passTenMinutes();
      const commit = vi.spyOn(world.gateway.services.store, "commit").mockRejectedValue(new Error("full"));
      expect((await enter(name, accessToken)).token).toBe(token);
      await expect.poll(() => commit.mock.calls.length).toBeGreaterThan(0);
    });
  });
});
