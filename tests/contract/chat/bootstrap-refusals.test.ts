import { describe, expect, it } from "vitest";
import { formAccessToken, postingKey } from "../../harness/form-access-token.ts";
import { request, requestBootstrap } from "../../harness/start-chat.ts";
import { useChat } from "../../harness/use-chat.ts";

describe("POST /api/chat/bootstrap", () => {
  const world = useChat();

  const bootstrap = (username: string, more?: Record<string, unknown>) =>
    requestBootstrap(world.gateway.url, username, more);
  const post = (body: unknown) => request("POST", `${world.gateway.url}/api/chat/bootstrap`, body);

  it.each([
    ["malformed JSON", "{"],
    ["null", "null"],
    ["a list", []],
    ["a text", '"alice"'],
    ["an empty object", {}],
    ["a number as the username", { username: 7, accessToken: "x" }],
    ["an empty username", { username: "", accessToken: "x" }],
    ["a body with a token but no username", { accessToken: formAccessToken("alice") }],
  ])("returns 400 for %s", async (_, body) => {
    const { status, body: answer } = await post(body);
    expect(status).toBe(400);
    expect(["invalid_json", "invalid_request"]).toContain(answer.code);
  });

  it("returns the same 401, without a Mattermost call, for malformed tokens and usernames, and for tokens of another account or app", async () => {
    const tokens: unknown[] = [
      undefined,
      null,
      7,
      "",
      "x",
      {},
      formAccessToken("bob"),
      formAccessToken("alice", { app: "other" }),
      "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.x",
    ];
    const answers = await Promise.all(tokens.map((accessToken) => post({ username: "alice", accessToken })));
    for (const username of ["Alice", "alice ", "@alice", "a", "no such account!"])
      answers.push(await post({ username, accessToken: formAccessToken("alice") }));
    for (const { status, body, cookie } of answers)
      expect({ status, body: { ...body, requestId: "" }, cookie }).toEqual({
        status: 401,
        body: { ...answers[0]?.body, requestId: "" },
        cookie: "",
      });
    expect(answers[0]?.body).toMatchObject({ code: "unauthorized" });
    expect(world.chat.calls()).toEqual([]);
  });

  it.each<[string, string, Parameters<typeof formAccessToken>[1], RegExp]>([
    ["a key that is not the posting key", "alice", { key: postingKey("alice", "active") }, /posting key/],
    ["another account's key", "alice", { key: postingKey("bob") }, /posting key/],
    [
      "an old token",
      "alice",
      { timestamp: Math.floor(Date.now() / 1000) - 604_801 },
      /too old: sign a new one/,
    ],
    [
      "a token from a fast clock",
      "alice",
      { timestamp: Math.floor(Date.now() / 1000) + 3600 },
      /dated in the future/,
    ],
    ["a token dated in milliseconds", "alice", { timestamp: Date.now() }, /timestamp in seconds/],
    ["an account that the chain lacks", "nobody-here", {}, /no account of this name/],
  ])("returns 401 with the reason for %s", async (_what, username, options, sentence) => {
    const { status, body } = await post({ username, accessToken: formAccessToken(username, options) });
    expect([status, body.code, body.error]).toEqual([401, "unauthorized", expect.stringMatching(sentence)]);
    expect(world.chat.calls()).toEqual([]);
  });

  it("returns 401 for a bad token even if other fields are invalid too", async () => {
    for (const accessToken of [undefined, "x"])
      for (const community of ["x", 7, {}]) {
        const { status, body } = await post({ username: "alice", accessToken, community, displayName: 7 });
        expect([status, body.code]).toEqual([401, "unauthorized"]);
      }
  });

  it.each<unknown>([
    "hive-1234",
    "hive-412345",
    "hive-12345678",
    "HIVE-100001",
    "town-square",
    "",
    " hive-100001",
    7,
    ["hive-100001"],
  ])("returns 400 for the malformed community %j", async (community) => {
    const { status, body } = await bootstrap("alice", { community });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: "invalid_request", issues: [{ path: "community" }] });
  });

  it("returns 404 for a community unknown to the chain, without creating a channel or a user", async () => {
    const name = await world.chat.newAccount();
    const { status, body } = await bootstrap(name, { community: "hive-399999" });
    expect({ status, code: body.code }).toEqual({ status: 404, code: "not_found" });
    for (const community of ["hive-10999", "hive-3999999"])
      expect((await bootstrap(name, { community })).status).toBe(404);
    expect(await world.chat.channelNamed("hive-399999")).not.toHaveProperty("display_name");
    expect((await world.chat.ask("GET", `/users/username/${name}`)).status).toBe(404);
  });

  it("returns 404 for a private channel under the community's name, without adding anyone to it", async () => {
    const name = await world.chat.newAccount();
    const [community = ""] = await world.chat.newCommunities(1, name);
    const secret = { team_id: world.chat.teamId, name: community, display_name: "Secret", type: "P" };
    const { body: channel } = await world.chat.ask("POST", "/channels", secret);
    const named = await bootstrap(name, { community });
    expect(named).toMatchObject({ status: 404, body: { code: "not_found" } });
    const plain = await bootstrap(name);
    expect(plain.status).toBe(200);
    expect(await world.chat.isMember(channel.id, plain.body.userId)).toBe(false);
  });

  it("returns 404 for a channel that became private after it was cached", async () => {
    const [first, second] = [await world.chat.newAccount(), await world.chat.newAccount()];
    const [community = ""] = await world.chat.newCommunities(1, second);
    const { channelId } = (await bootstrap(first, { community })).body;
    expect(channelId).toBeDefined();
    const turned = await world.chat.ask("PUT", `/channels/${channelId}/privacy`, { privacy: "P" });
    expect(turned.status).toBe(200);
    expect((await bootstrap(second, { community })).status).toBe(404);
    const { status, body } = await bootstrap(second);
    expect(status).toBe(200);
    expect(await world.chat.isMember(channelId, body.userId)).toBe(false);
  });

  it("returns 404 for a requested archived channel, and skips one that was not requested", async () => {
    const name = await world.chat.newAccount();
    const [community = ""] = await world.chat.newCommunities(1, name);
    const { channelId } = (await bootstrap("alice", { community })).body;
    expect((await world.chat.ask("DELETE", `/channels/${channelId}`)).status).toBe(200);
    const named = await bootstrap(name, { community });
    expect(named).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect((await bootstrap(name)).status).toBe(200);
    expect(await world.chat.channelNamed(community)).toMatchObject({ id: channelId });
  });

  it("returns 403 for a deactivated user, without reactivating them", async () => {
    const name = await world.chat.newAccount();
    const { userId } = (await bootstrap(name)).body;
    await world.chat.ask("PUT", `/users/${userId}/active`, { active: false });
    for (let turn = 0; turn < 2; turn++)
      expect(await bootstrap(name)).toMatchObject({ status: 403, body: { code: "forbidden" } });
    expect((await world.chat.ask("GET", `/users/${userId}`)).body.delete_at).toBeGreaterThan(0);
  });

  it.each([
    ["users", /^\/users$/, "api.user.create_user.user_limits.exceeded"],
    [
      "members of the team",
      /^\/teams\/\w+\/members$/,
      "app.team.join_user_to_team.save_member.max_accounts.app_error",
    ],
    [
      "members of the team (with another error id)",
      /^\/teams\/\w+\/members$/,
      "app.team.join_user_to_team.max_accounts.app_error",
    ],
  ])("returns 403 user_limit_reached when Mattermost accepts no more %s", async (_what, refused, id) => {
    const name = await world.chat.newAccount();
    const text = JSON.stringify({ id, message: "text of Mattermost", status_code: 400 });
    world.chat.proxy.treat(({ method, path }) =>
      method === "POST" && refused.test(path) ? { status: 400, text } : "pass",
    );
    const { status, body } = await bootstrap(name);
    expect({ status, code: body.code }).toEqual({ status: 403, code: "user_limit_reached" });
    expect(JSON.stringify(body)).not.toContain("text of Mattermost");
  });

  it("returns 403 for an account whose user has become a bot", async () => {
    const name = await world.chat.newAccount();
    await bootstrap(name);
    const { body: user } = await world.chat.ask("GET", `/users/username/${name}`);
    const text = JSON.stringify({ ...user, is_bot: true });
    world.chat.proxy.treat(({ path }) =>
      path === "/users/me" || path === `/users/username/${name}` ? { status: 200, text } : "pass",
    );
    const { status, body } = await bootstrap(name);
    expect({ status, code: body.code }).toEqual({ status: 403, code: "forbidden" });
  });

  it("returns 403 for an account whose user has become an administrator, even after a restart", async () => {
    const name = await world.chat.newAccount();
    const { userId } = (await bootstrap(name)).body;
    const promoted = await world.chat.ask("PUT", `/users/${userId}/roles`, {
      roles: "system_user system_admin",
    });
    expect(promoted.status).toBe(200);
    for (let turn = 0; turn < 2; turn++) {
      const { status, body, cookie } = await bootstrap(name);
      expect({ status, code: body.code, cookie }).toEqual({ status: 403, code: "forbidden", cookie: "" });
      await world.restart();
    }
  });

  it.each([
    ["cut off", { kind: "cut" }],
    ["silent", { kind: "hang" }],
    ["talking nonsense", { kind: "answer", status: 200 }],
    ["failing", { kind: "answer", status: 500 }],
    ["lying", { kind: "lie", result: { accounts: "none" } }],
  ] as const)("returns 503 with Retry-After, never 401, while the chain is %s", async (_, fault) => {
    const name = await world.chat.newAccount();
    await world.chat.chain.setFault({ ...fault, method: "database_api.find_accounts" });
    const { status, body, headers } = await bootstrap(name);
    expect({ status, code: body.code }).toEqual({ status: 503, code: "auth_unavailable" });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    await world.chat.chain.clearFaults();
    expect((await bootstrap(name)).status).toBe(200);
  });

  it("admits users while the chain's communities are unreadable, and adds them to their channels on the next bootstrap", async () => {
    const name = await world.chat.newAccount();
    const [community = ""] = await world.chat.newCommunities(1, name);
    await world.chat.chain.setFault({ kind: "answer", method: "bridge.*", status: 502 });
    const { status, body } = await bootstrap(name);
    expect(status).toBe(200);
    await world.chat.chain.clearFaults();
    await bootstrap(name);
    expect(await world.chat.isMember((await world.chat.channelNamed(community)).id, body.userId)).toBe(true);
  });

  it("returns 503 for a community that can't be looked up", async () => {
    await world.chat.chain.setFault({ kind: "answer", method: "bridge.*", status: 502 });
    const { status, body, headers } = await bootstrap("alice", { community: "hive-100001" });
    expect({ status, code: body.code }).toEqual({ status: 503, code: "auth_unavailable" });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it.each([
    ["cuts the connection", "cut"],
    ["fails", { status: 500, text: "{}" }],
    ["is behind a failing proxy", { status: 502, text: "<html>" }],
    ["talks nonsense", { status: 200, text: "<html>" }],
    ["sends another shape", { status: 200, text: '{"id":7}' }],
    [
      "refuses the gateway's own token",
      { status: 401, text: '{"id":"api.context.session_expired.app_error"}' },
    ],
  ] as const)("returns 502 while Mattermost %s", async (_, treatment) => {
    const name = await world.chat.newAccount();
    world.chat.proxy.treat(() => treatment);
    const { status, body } = await bootstrap(name);
    expect({ status, code: body.code }).toEqual({ status: 502, code: "backend_unreachable" });
    world.chat.proxy.treat(() => "pass");
    expect((await bootstrap(name)).status).toBe(200);
  });

  const restartWithLimits = () => world.restart({ settings: { RATE_LIMITS: "on" } });
  /**
   * Sends many requests at once, and returns separately the answers of the token check and of the rate limit.
   */
  const rush = async (count: number, username: (turn: number) => string) => {
    const tries = Array.from({ length: count }, (_, turn) => post({ username: username(turn) }));
    const answers = await Promise.all(tries);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    return {
      allowed: answers.filter(({ status }) => status === 401),
      refused: answers.filter(({ status }) => status === 429),
    };
  };

  it("returns 429 with Retry-After after 30 tries a minute for one account, but admits another", async () => {
    await restartWithLimits();
    const { allowed, refused } = await rush(90, () => "carol");
    expect(allowed.length).toBeGreaterThanOrEqual(30);
    expect(refused[0]?.body.code).toBe("rate_limited");
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(refused[0]?.headers.get("ratelimit")).toContain("bootstrap-account");
    expect((await bootstrap("bob")).status).toBe(200);
  });

  it("returns 429 for more than 120 tries a minute from one address", async () => {
    await restartWithLimits();
    const { allowed } = await rush(300, (turn) => `account${turn}`);
    expect(allowed.length).toBeGreaterThanOrEqual(120);
    const policy = allowed[0]?.headers.get("ratelimit-policy");
    expect(policy).toBe('"bootstrap";q=120;w=60, "bootstrap-account";q=30;w=60');
  });
});
