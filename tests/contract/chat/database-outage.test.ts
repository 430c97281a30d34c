import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { patRoutes, withAllRoutes } from "../../harness/chat-routes.ts";
import { soon } from "../../harness/soon.ts";
import { type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";
import { openWebsocket } from "../../websocket/open-websocket.ts";

const report = (database_status: string) => ({
  status: database_status === "OK" ? 200 : 500,
  text: JSON.stringify({ status: database_status, database_status, filestore_status: "OK" }),
});
const refusal = (status: number, id: string) => ({
  status,
  text: JSON.stringify({ id, message: "upstream secret", status_code: status }),
});

const refusals: ReadonlyArray<[status: number, id: string]> = [
  [401, "api.context.session_expired.app_error"],
  [403, "api.context.permissions.app_error"],
  [404, "app.user.missing_account.const"],
  [400, "api.context.invalid_body_param.app_error"],
];
const members = "/channels/{channel_id}/members?q=nosuchthing";
const lists = [
  { method: "POST", path: "/channels/search", body: { term: "nosuchthing" }, empty: [] },
  { method: "POST", path: "/search/posts", body: { term: "nosuchthing" }, empty: { order: [], posts: {} } },
  { method: "GET", path: "/users/search?q=nosuchthing", body: undefined, empty: { users: [] } },
  { method: "GET", path: members, body: undefined, empty: { users: [] } },
  { method: "GET", path: "/channels/{channel_id}/pinned", body: undefined, empty: { order: [], posts: {} } },
  { method: "GET", path: "/threads", body: undefined, empty: { threads: [], total: 0 } },
  { method: "GET", path: "/channels/public", body: undefined, empty: [] },
];

describe("Mattermost's database", () => {
  let world: ChatWorld;
  let alice: Person;
  let channelId: string;
  beforeAll(async () => {
    world = await startChatWorld({ settings: withAllRoutes });
    alice = await world.login("alice");
    // These answers are cached beforehand, so that only the calls of the routes fail below.
    ({ id: channelId } = (await alice.api("GET", "/channels")).body.channels[0]);
    await alice.api("GET", `/channels/${channelId}/members?q=alice`);
  });
  afterEach(() => world.proxy.treat(() => "pass"));
  afterAll(() => world.close());

  const refuseAll = (database: string, answer: ReturnType<typeof refusal>) =>
    world.proxy.treat(({ path }) => (path === "/system/ping" ? report(database) : answer));
  describe.each(refusals)("when it is down and Mattermost answers %d", (status, id) => {
    it.each(patRoutes)("$method $path returns 502", async ({ method, path, body }) => {
      refuseAll("UNHEALTHY", refusal(status, id));
      const answer = await alice.api(method, path, body);
      expect([answer.status, answer.body.code]).toEqual([502, "backend_unreachable"]);
    });
  });

  it.each(lists)(
    "$path returns 502 for Mattermost's empty list, and 200 once the database is up",
    async ({ method, path, body, empty }) => {
      const answerWith = (database: string) =>
        world.proxy.treat((call) => {
          if (call.path === "/system/ping") return report(database);
          const isList = /search|autocomplete|pinned|threads|^\/teams\/\w+\/channels(\?|$)/.test(call.path);
          return isList ? { status: 200, text: JSON.stringify(empty) } : "pass";
        });
      answerWith("UNHEALTHY");
      expect((await alice.api(method, path.replace("{channel_id}", channelId), body)).status).toBe(502);
      answerWith("OK");
      expect((await alice.api(method, path.replace("{channel_id}", channelId), body)).status).toBe(200);
    },
  );

  const nowhere = { id: "app.channel.get_channels.not_found.app_error", status_code: 404 };
  it.each([
    ["GET", "/channels", "/channels/members", { status: 200, text: "[]" }],
    ["GET", "/channels", "/channels", { status: 404, text: JSON.stringify(nowhere) }],
    ["GET", "/channels/unreads", "/channels/members", { status: 200, text: "[]" }],
    ["GET", "/channels/unreads", "/channels", { status: 404, text: JSON.stringify(nowhere) }],
  ])(
    "%s %s returns 502 when Mattermost's %s is empty, and 200 once the database is up",
    async (method, path, asked, empty) => {
      const answerWith = (database: string) =>
        world.proxy.treat((call) => {
          if (call.path === "/system/ping") return report(database);
          return call.path.startsWith("/users/me/teams/") && call.path.endsWith(asked) ? empty : "pass";
        });
      answerWith("UNHEALTHY");
      expect((await alice.api(method, path)).status).toBe(502);
      answerWith("OK");
      const { status, body } = await alice.api(method, path);
      expect(status).toBe(200);
      if (asked === "/channels") expect(body.channels).toEqual([]);
    },
  );

  it("with the database up, a refusal counts as the caller's, and a success triggers no check", async () => {
    for (const [status, id] of refusals) {
      world.proxy.treat(({ path }) => (path === "/users/me" ? refusal(status, id) : "pass"));
      if (status !== 401) expect((await alice.api("GET", "/me")).status).toBe(status);
    }
    world.proxy.treat(() => "pass");
    expect(
      (await alice.api("GET", "/me", undefined, { authorization: `Bearer ${"x".repeat(26)}` })).status,
    ).toBe(401);
    world.proxy.forget();
    expect((await alice.api("GET", "/me")).status).toBe(200);
    expect(world.proxy.calls()).toEqual(["GET /users/me"]);
  });

  it("refusals become 502 after recent failures of several routes, but not of a single route", async () => {
    const failWith = (failing: RegExp) =>
      world.proxy.treat(({ path }) => {
        if (path === "/users/me") return refusal(403, "api.context.permissions.app_error");
        return failing.test(path) ? refusal(500, "app.channel.get.app_error") : "pass";
      });
    const answer = async () => {
      const { status, body } = await alice.api("GET", "/me");
      return [status, body.code];
    };
    failWith(/threads/);
    expect((await alice.api("GET", "/threads")).status).toBe(502);
    expect(await answer()).toEqual([403, "forbidden"]);
    failWith(/threads|channels/);
    expect((await alice.api("GET", "/channels")).status).toBe(502);
    expect((await alice.api("GET", `/channels/${channelId}/pinned`)).status).toBe(502);
    expect(await answer()).toEqual([502, "backend_unreachable"]);
    await soon(async () => expect(await answer()).toEqual([403, "forbidden"]));
  });

  it("a refusal is checked twice after a failed call, in case the database has just failed", async () => {
    const PINGS_OF_A_LOOK = 2;
    let pings = 0;
    world.proxy.treat(({ path }) => {
      if (path === "/system/ping") return report(pings++ < PINGS_OF_A_LOOK ? "OK" : "UNHEALTHY");
      if (path === "/users/me") return refusal(403, "api.context.permissions.app_error");
      return path.includes("threads") ? refusal(500, "app.user.get_threads_for_user.app_error") : "pass";
    });
    expect((await alice.api("GET", "/threads")).status).toBe(502);
    const { status, body } = await alice.api("GET", "/me");
    expect([status, body.code, pings]).toEqual([502, "backend_unreachable", 2 * PINGS_OF_A_LOOK]);
  });

  it("no one is signed out if Mattermost goes down before its database is checked", async () => {
    for (const [status, id] of refusals) {
      world.proxy.treat(({ path }) => (path === "/system/ping" ? "cut" : refusal(status, id)));
      expect((await alice.api("GET", "/me")).status).toBe(status === 401 ? 502 : status);
    }
  });

  it("a refusal of all tokens, including the gateway's, returns 502 chat_token_refused", async () => {
    const [status, id] = refusals[0] ?? [401, ""];
    refuseAll("OK", refusal(status, id));
    const { status: told, body } = await alice.api("GET", "/me");
    expect([told, body.code]).toEqual([502, "chat_token_refused"]);
  });
});

describe("a websocket upgrade that Mattermost refuses", () => {
  let mattermost: Server;
  let gateway: Gateway;
  /** Mattermost's answers to upgrades and calls, and its database status. */
  let answer = { upgrade: 401, call: 401, database: "OK" };

  beforeAll(async () => {
    mattermost = createServer((incoming, outgoing) => {
      const { status, text } = incoming.url?.includes("/system/ping")
        ? report(answer.database)
        : refusal(answer.call, "api.context.session_expired.app_error");
      outgoing.writeHead(status, { "content-type": "application/json" }).end(text);
    });
    mattermost.on("upgrade", (_incoming, socket) => {
      socket.on("error", () => socket.destroy());
      if (answer.upgrade === 0) socket.destroy();
      else socket.end(`HTTP/1.1 ${answer.upgrade} No\r\nContent-Length: 0\r\n\r\n`);
    });
    await once(mattermost.listen(0, "127.0.0.1"), "listening");
    const { port } = mattermost.address() as AddressInfo;
    gateway = await startGateway({ settings: { CHAT_BASE_URL: `http://127.0.0.1:${port}/api/v4` } });
  });
  afterAll(async () => {
    await gateway.close();
    mattermost.close();
    mattermost.closeAllConnections();
  });

  const cases = [
    { upgrade: 401, call: 401, database: "UNHEALTHY", expected: [502, "backend_unreachable"] },
    { upgrade: 401, call: 401, database: "OK", expected: [502, "chat_token_refused"] },
    { upgrade: 401, call: 403, database: "OK", expected: [401, "unauthorized"] },
    { upgrade: 429, call: 401, database: "OK", expected: [503, "overloaded"] },
  ];
  it.each(cases)(
    "returns $expected for $upgrade when calls return $call and the database is $database",
    async ({ expected, ...given }) => {
      answer = given;
      await expect(openWebsocket(gateway.url, `?token=${"p".repeat(26)}`)).rejects.toMatchObject({
        status: expected[0],
        body: { code: expected[1] },
      });
    },
  );
});
