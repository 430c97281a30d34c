import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { postingKey, signText } from "../../harness/form-access-token.ts";
import { request, requestBootstrap } from "../../harness/start-chat.ts";
import { useChat } from "../../harness/use-chat.ts";

describe("POST /api/chat/bootstrap", () => {
  const world = useChat();

  const bootstrap = (username: string, more?: Record<string, unknown>) =>
    requestBootstrap(world.gateway.url, username, more);

  it("returns the user's id and token, as JSON and as a cookie", async () => {
    const name = await world.chat.newAccount();
    const { status, body, headers, cookie } = await bootstrap(name);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(["ok", "token", "userId"]);
    const me = await world.chat.ask("GET", "/users/me", undefined, body.token);
    expect(me.body).toMatchObject({ id: body.userId, username: name });
    expect(cookie).toBe(`chat_pat=${body.token}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure`);
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("sets the cookie without Secure in the sandbox, which uses plain http", async () => {
    await world.restart({ sandbox: { accounts: [], chat: null, chain: null } });
    const { status, cookie } = await bootstrap("alice");
    expect(status).toBe(200);
    expect(cookie).toMatch(/HttpOnly; SameSite=Lax$/);
  });

  it("returns the same user and token each time", async () => {
    const name = await world.chat.newAccount();
    const first = await bootstrap(name);
    expect((await bootstrap(name)).body).toEqual(first.body);
    expect(await world.chat.tokensOf(first.body.userId)).toHaveLength(1);
  });

  it("returns the requested community's channel with its title from the chain", async () => {
    const name = await world.chat.newAccount();
    const [community = ""] = await world.chat.newCommunities(1, "bob");
    const { status, body } = await bootstrap(name, {
      community,
      communityTitle: "Somebody's title",
      displayName: "Somebody",
    });
    expect(status).toBe(200);
    const channel = await world.chat.channelNamed(community);
    const display_name = `Title of ${community}`;
    expect(channel).toMatchObject({ id: body.channelId, type: "O", display_name });
    expect(await world.chat.isMember(body.channelId, body.userId)).toBe(true);
  });

  it("cuts a community's title to 64 characters, and replaces a blank one with the community's name", async () => {
    const [long = "", blank = ""] = await world.chat.newCommunities(2, "bob");
    await world.chat.chain.setCommunity({ name: long, title: "🐝".repeat(80) });
    await world.chat.chain.setCommunity({ name: blank, title: "  " });
    for (const community of [long, blank]) expect((await bootstrap("alice", { community })).status).toBe(200);
    expect((await world.chat.channelNamed(long)).display_name).toBe("🐝".repeat(64));
    expect((await world.chat.channelNamed(blank)).display_name).toBe(blank);
  });

  it("adds the user to the channels of their subscribed communities", async () => {
    const name = await world.chat.newAccount();
    const names = await world.chat.newCommunities(3, name);
    const { userId } = (await bootstrap(name)).body;
    for (const community of names) {
      const channel = await world.chat.channelNamed(community);
      expect(channel).toMatchObject({ type: "O", display_name: `Title of ${community}` });
      expect(await world.chat.isMember(channel.id, userId)).toBe(true);
    }
  });

  it("ignores unused fields, whatever they contain", async () => {
    const more = { refreshToken: 7, displayName: null, communityTitle: [], community: null, other: {} };
    const { status, body } = await bootstrap(await world.chat.newAccount(), more);
    expect(status).toBe(200);
    expect(body).not.toHaveProperty("channelId");
  });

  it("accepts an access token of /api/auth until its session ends, but not the signed challenge itself", async () => {
    const auth = (path: string, body: unknown) =>
      request<Record<string, string>>("POST", `${world.gateway.url}/api/auth/${path}`, body);
    const { message = "" } = (await auth("challenge", { username: "bob" })).body;
    const signature = signText(message, postingKey("bob"));
    const { accessToken, refreshToken } = (await auth("login", { username: "bob", message, signature })).body;
    expect((await bootstrap("bob", { accessToken })).status).toBe(200);
    expect((await bootstrap("alice", { accessToken })).status).toBe(401);
    expect((await bootstrap("bob", { accessToken: refreshToken })).status).toBe(401);
    await auth("logout", { refreshToken });
    expect((await bootstrap("bob", { accessToken })).status).toBe(401);

    const signed = { ...JSON.parse(message), signatures: [signature] };
    const challenge = Buffer.from(JSON.stringify(signed)).toString("base64url");
    expect((await bootstrap("bob", { accessToken: challenge })).status).toBe(401);
  });

  it("writes the token neither to the store's files nor to the user's record", async () => {
    const { userId, token } = (await bootstrap(await world.chat.newAccount())).body;
    expect(JSON.stringify((await world.chat.ask("GET", `/users/${userId}`)).body)).not.toContain(token);
    const files = readdirSync(world.gateway.dataDir);
    expect(files).toContain("hivegate.sqlite");
    for (const file of files)
      expect(readFileSync(join(world.gateway.dataDir, file)).includes(token)).toBe(false);
  });

  const leaveBy: Record<string, (channelId: string, userId: string, token: string) => Promise<unknown>> = {
    "through the gateway": (channelId, _, token) =>
      request("POST", `${world.gateway.url}/api/chat/channels/${channelId}/leave`, undefined, {
        authorization: `Bearer ${token}`,
      }),
    "through another client": (channelId, userId, token) =>
      world.chat.ask("DELETE", `/channels/${channelId}/members/${userId}`, undefined, token),
  };
  it.each(Object.keys(leaveBy))(
    "does not rejoin a channel left %s unless its community is requested",
    async (way) => {
      const name = await world.chat.newAccount();
      const [community = ""] = await world.chat.newCommunities(1, name);
      const { userId, token } = (await bootstrap(name)).body;
      const channelId = String((await world.chat.channelNamed(community)).id);
      expect(await world.chat.isMember(channelId, userId)).toBe(true);
      await leaveBy[way]?.(channelId, userId, token);
      expect(await world.chat.isMember(channelId, userId)).toBe(false);
      for (let turn = 0; turn < 2; turn++) expect((await bootstrap(name)).status).toBe(200);
      expect(await world.chat.isMember(channelId, userId)).toBe(false);
      expect((await bootstrap(name, { community })).body.channelId).toBe(channelId);
      expect(await world.chat.isMember(channelId, userId)).toBe(true);
      await bootstrap(name);
      expect(await world.chat.isMember(channelId, userId)).toBe(true);
    },
  );

  it("does not rejoin a left channel even if the user unsubscribes from its community and subscribes again", async () => {
    const name = await world.chat.newAccount();
    const [community = ""] = await world.chat.newCommunities(1, name);
    const { userId, token } = (await bootstrap(name)).body;
    const channelId = String((await world.chat.channelNamed(community)).id);
    await leaveBy["through the gateway"]?.(channelId, userId, token);
    for (const subscribers of [[], [name]]) {
      await world.chat.chain.setCommunity({ name: community, title: "T", subscribers });
      expect((await bootstrap(name)).status).toBe(200);
    }
    expect(await world.chat.isMember(channelId, userId)).toBe(false);
  });

  it("replaces a token revoked in Mattermost", async () => {
    const name = await world.chat.newAccount();
    const { userId, token } = (await bootstrap(name)).body;
    const [made] = await world.chat.tokensOf(userId);
    await world.chat.ask("POST", "/users/tokens/revoke", { token_id: made?.id });
    const again = await bootstrap(name);
    expect(again.status).toBe(200);
    expect(again.body.token).not.toBe(token);
    expect((await world.chat.ask("GET", "/users/me", undefined, again.body.token)).status).toBe(200);
  });

  it("restores a lost team membership", async () => {
    const name = await world.chat.newAccount();
    const { userId } = (await bootstrap(name)).body;
    const membership = `/teams/${world.chat.teamId}/members/${userId}`;
    await world.chat.ask("DELETE", membership);
    expect((await bootstrap(name)).status).toBe(200);
    expect((await world.chat.ask("GET", membership)).body).toMatchObject({ delete_at: 0 });
  });

  it("creates a new token after a store loss, and leaves at most five of the gateway's tokens", async () => {
    const name = await world.chat.newAccount();
    const { userId } = (await bootstrap(name)).body;
    const foreign = await world.chat.ask("POST", `/users/${userId}/tokens`, {
      description: "somebody's own",
    });
    const tokens: string[] = [];
    for (let turn = 0; turn < 7; turn++) {
      await world.restart();
      tokens.push((await bootstrap(name)).body.token);
    }
    const left = await world.chat.tokensOf(userId);
    expect(left.filter(({ description }) => description.startsWith("hivegate"))).toHaveLength(5);
    expect(left.map(({ id }) => id)).toContain(foreign.body.id);
    const works = await Promise.all(
      tokens.map(async (token) => (await world.chat.ask("GET", "/users/me", undefined, token)).status),
    );
    expect(works).toEqual([401, 401, 200, 200, 200, 200, 200]);
  });

  it("allows any origin in preflights", async () => {
    const preflight = await fetch(`${world.gateway.url}/api/chat/bootstrap`, {
      method: "OPTIONS",
      headers: { origin: "https://app.example.com", "access-control-request-method": "POST" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
  });
});
