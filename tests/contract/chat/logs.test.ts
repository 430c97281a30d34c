import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAuthClient } from "../../harness/auth-client.ts";
import { formAccessToken } from "../../harness/form-access-token.ts";
import { requestBootstrap } from "../../harness/start-chat.ts";
import { type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { type GatewayProcess, startGatewayProcess } from "../../harness/start-gateway-process.ts";
import { unique } from "../../harness/unique.ts";
import { openWebsocket } from "../../websocket/open-websocket.ts";

const METRICS_TOKEN = "a-token-for-the-log";
const HIVESIGNER_APP = "shop.app";

type Line = Record<string, unknown>;

const linesOf = (gateway: GatewayProcess): Line[] =>
  gateway
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line);

async function findLine(gateway: GatewayProcess, fields: Line): Promise<Line> {
  await expect.poll(() => linesOf(gateway)).toContainEqual(expect.objectContaining(fields));
  return (
    linesOf(gateway).find((line) => Object.entries(fields).every(([name, value]) => line[name] === value)) ??
    {}
  );
}

describe("the log", () => {
  let world: ChatWorld<GatewayProcess>;
  let alice: Person & { channelId: string };

  beforeAll(async () => {
    world = await startChatWorld({
      settings: { LOG_LEVEL: "info", METRICS_TOKEN, HIVESIGNER_APP },
      start: startGatewayProcess,
    });
    alice = await world.login("alice", "hive-100001");
  });
  afterAll(() => world.close());

  it("has one line per request with route, status and time, but no channel id, query, token or text", async () => {
    const text = unique("verysecret");
    const id = unique("request");
    await alice.api("POST", `/channels/${alice.channelId}/posts`, { message: text }, { "x-request-id": id });
    await alice.api("GET", `/users/search?q=${text}`);
    expect(await findLine(world.gateway, { requestId: id })).toMatchObject({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      msg: "request",
      method: "POST",
      route: "/api/chat/channels/{channelId}/posts",
      status: 200,
      ms: expect.any(Number),
    });
    expect(linesOf(world.gateway).filter(({ requestId }) => requestId === id)).toHaveLength(1);
    await findLine(world.gateway, { route: "/api/chat/users/search" });
    expect(world.gateway.output()).not.toContain(text);
    expect(world.gateway.output()).not.toContain(alice.pat);
    expect(world.gateway.output()).not.toContain(alice.channelId);
  });

  it("has neither code nor state, secret or cookie of a wallet's callback, accepted or refused", async () => {
    const { url } = world.gateway;
    const { id, secret, cookie } = await createAuthClient(() => url).askWallet();
    const timestamp = Math.floor(Date.now() / 1000);
    const code = formAccessToken("alice", { app: HIVESIGNER_APP, timestamp });
    const headers = { cookie, accept: "text/html" };
    for (const given of [code, `${code}.`])
      await fetch(`${url}/api/auth/hivesigner?${new URLSearchParams({ code: given, state: id })}`, {
        headers,
      });
    const route = "/api/auth/hivesigner";
    await findLine(world.gateway, { route, status: 200 });
    await findLine(world.gateway, { route, status: 401, code: "unauthorized" });
    for (const hidden of [code, id, secret, cookie.split("=")[1] ?? ""])
      expect(world.gateway.output()).not.toContain(hidden);
  });

  it("repeats neither a client's nor Mattermost's texts, however a request ends", async () => {
    const text = unique("verysecret");
    const secret = text.padEnd(26, "x").slice(0, 26);
    const headers = {
      ...{ authorization: `Bearer ${secret}`, cookie: `chat_pat=${secret}; other=${text}` },
      ...{ "x-payment": text, "payment-signature": text, "x-request-id": `no id: ${text}` },
      ...{ "user-agent": text, origin: `https://${text}.example`, "x-forwarded-for": text },
      "content-type": "application/json",
    };
    const body = JSON.stringify({ token: text, password: text, accessToken: text, message: text });
    const ask = async (method: string, path: string, more: Record<string, string> = {}) => {
      const init = method === "GET" ? {} : { body };
      const { url } = world.gateway;
      return (await fetch(url + path, { method, headers: { ...headers, ...more }, ...init })).status;
    };
    expect(await ask("GET", `/api/chat/me?token=${text}`)).toBe(401);
    expect(await ask("GET", `/api/chat/${text}?token=${text}`)).toBe(404);
    expect(await ask("PUT", `/api/chat/me?token=${text}`)).toBe(405);
    expect(await ask("POST", "/api/chat/bootstrap")).toBe(400);
    const member = { authorization: `Bearer ${alice.pat}` };
    expect(await ask("GET", `/api/chat/channels/${text}/posts`, member)).toBe(404);
    expect(await ask("GET", `/api/chat/users/search?q=${text}`, member)).toBe(200);
    world.proxy.treat(() => ({ status: 500, text: JSON.stringify({ id: "app.error", message: text }) }));
    expect(await ask("GET", `/api/chat/users/search?q=${text}`, member)).toBe(502);
    world.proxy.treat(() => "pass");
    for (const status of [401, 404, 405, 400, 200, 502])
      await findLine(world.gateway, { msg: "request", status });
    expect(world.gateway.output()).not.toContain(text);
    expect(world.gateway.output()).not.toContain(secret);
    expect(world.gateway.output()).not.toContain(alice.pat);
  });

  it("reports that Mattermost accepts no more users", async () => {
    const name = unique("n");
    await world.chain.setAccount({ name });
    const text = JSON.stringify({ id: "api.user.create_user.user_limits.exceeded" });
    world.proxy.treat(({ method, path }) =>
      method === "POST" && path === "/users" ? { status: 400, text } : "pass",
    );
    expect((await requestBootstrap(world.gateway.url, name)).status).toBe(403);
    world.proxy.treat(() => "pass");
    expect(await findLine(world.gateway, { level: "error", code: "user_limit_reached" })).toBeDefined();
  });

  it("audits a user withheld from the account of the same name, and a restored name", async () => {
    const [mallory, name] = [await world.newcomer(), unique("n")];
    await world.chain.setAccount({ name });
    await mallory.mattermost("PUT", "/users/me/patch", { username: name });
    expect((await requestBootstrap(world.gateway.url, name)).status).toBe(409);
    await findLine(world.gateway, {
      audit: true,
      action: "hand_out_user",
      account: name,
      userId: mallory.id,
      boundTo: mallory.name,
      outcome: "refused",
    });
    await world.login(mallory.name);
    await findLine(world.gateway, {
      audit: true,
      action: "restore_name",
      account: mallory.name,
      userId: mallory.id,
      outcome: "done",
    });
  });

  it("suggests that personal access tokens are switched off when Mattermost issues none", async () => {
    const name = unique("n");
    await world.chain.setAccount({ name });
    const text = JSON.stringify({ id: "app.user_access_token.disabled" });
    world.proxy.treat(({ path }) => (path.endsWith("/tokens") ? { status: 501, text } : "pass"));
    expect((await requestBootstrap(world.gateway.url, name)).status).toBe(502);
    world.proxy.treat(() => "pass");
    const line = await findLine(world.gateway, { level: "error", code: "chat_token_refused" });
    expect(line.msg).toContain("EnableUserAccessTokens");
  });

  it.each(["verify", "settle"])("states the code when %s refuses a request", async (call) => {
    const id = unique("request");
    const headers = { "content-type": "application/json", "x-request-id": id };
    await fetch(`${world.gateway.url}/api/x402/${call}`, { method: "POST", body: "{}", headers });
    expect(await findLine(world.gateway, { requestId: id })).toMatchObject({
      level: "info",
      route: `/api/x402/${call}`,
      status: 400,
      code: "invalid_request",
    });
  });

  it("has a line for a request without a route, but omits its path", async () => {
    const [lost, refused] = [unique("request"), unique("request")];
    await alice.api("GET", `/${unique("nowhere")}`, undefined, { "x-request-id": lost });
    await alice.api("DELETE", "/me", undefined, { "x-request-id": refused });
    expect(await findLine(world.gateway, { requestId: lost })).toMatchObject({
      method: "GET",
      route: "none",
      status: 404,
      ms: expect.any(Number),
      code: "not_found",
    });
    expect(await findLine(world.gateway, { requestId: refused })).toMatchObject({
      method: "DELETE",
      route: "/api/chat/me",
      status: 405,
      ms: expect.any(Number),
    });
    expect(world.gateway.output()).not.toContain("nowhere");
  });

  it("reports a client's early disconnect as 499 instead of an error, as the metrics do", async () => {
    const before = world.gateway.output().length;
    const counts = async () => {
      const answer = await fetch(`${world.gateway.url}/api/metrics`, {
        headers: { authorization: `Bearer ${METRICS_TOKEN}` },
      });
      expect(answer.status).toBe(200);
      const lines = (await answer.text()).split("\n");
      return (route: string, status: string) =>
        lines
          .filter((line) => line.startsWith("hivegate_http_request_duration_seconds_count"))
          .filter((line) => line.includes(`route="${route}"`) && line.includes(`status="${status}`))
          .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    };
    const countBefore = await counts();
    const [waiting, sending] = [unique("request"), unique("request")];
    const { host, port } = new URL(world.gateway.url);
    const headers = [`host: ${host}`, `authorization: Bearer ${alice.pat}`, "content-type: application/json"];
    const leave = async (line: string, id: string, body: string, isServed: () => Promise<unknown>) => {
      const socket = connect(Number(port), "127.0.0.1");
      const length = `content-length: ${body === "" ? 0 : 1000}`;
      socket.write([line, ...headers, `x-request-id: ${id}`, length, "", body].join("\r\n"));
      await once(socket, "connect");
      await isServed();
      socket.destroy();
    };
    world.proxy.treat(() => "hang");
    const isAsked = () => expect.poll(() => world.proxy.underWay()).toBe(1);
    await leave("GET /api/chat/me HTTP/1.1", waiting, "", isAsked);
    await expect.poll(() => world.proxy.underWay()).toBe(0);
    world.proxy.treat(() => "pass");
    const path = `/api/chat/channels/${alice.channelId}/posts`;
    // A request on another connection is only answered after the beginning of the body has arrived.
    await leave(`POST ${path} HTTP/1.1`, sending, '{"message"', () => alice.api("GET", "/me"));
    for (const requestId of [waiting, sending])
      expect(await findLine(world.gateway, { requestId })).toMatchObject({
        level: "info",
        status: 499,
        gone: true,
      });
    expect(world.gateway.output().slice(before)).not.toMatch(/"level":"(warn|error)"/);
    const count = await counts();
    for (const route of ["/api/chat/me", "/api/chat/channels/[channelId]/posts"]) {
      expect(count(route, "499") - countBefore(route, "499")).toBe(1);
      expect(count(route, "5")).toBe(countBefore(route, "5"));
    }
  });

  it("states the code but not the text of a Mattermost failure", async () => {
    const broken = { id: "store.sql.broken.app_error", message: "upstream secret", status_code: 500 };
    world.proxy.treat(() => ({ status: 500, text: JSON.stringify(broken) }));
    const id = unique("request");
    await alice.api("GET", "/me", undefined, { "x-request-id": id });
    world.proxy.treat(() => "pass");
    expect(await findLine(world.gateway, { requestId: id })).toMatchObject({
      status: 502,
      code: "backend_unreachable",
      cause: expect.stringContaining("500 store.sql.broken.app_error"),
    });
    expect(world.gateway.output()).not.toContain("upstream secret");
  });

  it("has only the fields and levels that the operations page explains", async () => {
    const [bob, failing] = [await world.login("bob"), unique("request")];
    world.proxy.treat(() => ({ status: 500, text: "{}" }));
    await bob.api("GET", "/me", undefined, { "x-request-id": failing });
    world.proxy.treat(() => "pass");
    await findLine(world.gateway, { requestId: failing, code: "backend_unreachable" });
    await fetch(`${world.gateway.url}/api/x402/settle`, { method: "POST", body: "{}" });
    await findLine(world.gateway, { route: "/api/x402/settle" });
    await bob.api("POST", "/logout");
    await requestBootstrap(world.gateway.url, "bob", { accessToken: "nonsense" });
    await findLine(world.gateway, { msg: "access token refused" });
    const [, section = ""] = readFileSync("docs/operations.md", "utf8").split("\n## Logs\n");
    const explained = [...(section.split("\n## ")[0] ?? "").matchAll(/`"?(\w+)"?`/g)].map(([, name]) => name);
    const lines = linesOf(world.gateway);
    const used = lines.flatMap((line) => [...Object.keys(line), line.level]);
    expect([...new Set(used)].filter((name) => !explained.includes(String(name)))).toEqual([]);
  });
});

describe("the audit log", () => {
  let world: ChatWorld<GatewayProcess>;

  beforeEach(async () => {
    world = await startChatWorld({ settings: { LOG_LEVEL: "silent" }, start: startGatewayProcess });
  });
  afterEach(() => world.close());

  it("records a moderator's deletion, but not an author's, even if the log is silent", async () => {
    const alice = await world.login("alice", "hive-100001");
    const bob = await world.login("bob", "hive-100001");
    const [own, unwanted] = [await bob.post(bob.channelId, "own"), await bob.post(bob.channelId, "unwanted")];
    await bob.api("DELETE", `/channels/${bob.channelId}/posts/${own.id}`);
    const id = unique("request");
    const address = `/channels/${bob.channelId}/posts/${unwanted.id}`;
    expect((await alice.api("DELETE", address, undefined, { "x-request-id": id })).status).toBe(200);
    expect(await findLine(world.gateway, { audit: true })).toMatchObject({
      action: "delete_post",
      community: "hive-100001",
      account: "alice",
      channelId: bob.channelId,
      postId: unwanted.id,
      requestId: id,
      outcome: "done",
    });
    expect(linesOf(world.gateway)).toHaveLength(1);
  });
});

describe("the audit log of sign-ins", () => {
  let world: ChatWorld<GatewayProcess>;

  beforeEach(async () => {
    world = await startChatWorld({ settings: { LOG_LEVEL: "silent" }, start: startGatewayProcess });
  });
  afterEach(() => world.close());

  it("counts all ended tokens of a user who became an administrator, including those lost with the store", async () => {
    const person = await world.newcomer();
    await world.admin("POST", `/users/${person.id}/tokens`, { description: "hivegate chat of a lost store" });
    const { closed } = await openWebsocket(world.gateway.url, `?token=${person.pat}`);
    await world.admin("PUT", `/users/${person.id}/roles`, { roles: "system_user system_admin" });
    expect((await closed).code).toBe(1008);
    expect(await findLine(world.gateway, { audit: true })).toMatchObject({
      action: "end_sign_ins",
      account: person.name,
      userId: person.id,
      reason: "role_raised",
      ended: 2,
      outcome: "done",
    });
  });
});
