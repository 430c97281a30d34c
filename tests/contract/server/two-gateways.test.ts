import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signInOf } from "#lib/chat/caller/pat-owners.ts";
import { metrics } from "../../../lib/metrics.ts";
import { type ChatWorld, startChatWorld } from "../../harness/start-chat-world.ts";
import { startGateway } from "../../harness/start-gateway.ts";

const DEAD_NODE = "http://127.0.0.1:9";

// These tests require two Mattermost servers, and the environment names at most one.
describe.skipIf(process.env.CHAT_BASE_URL)("two gateways in one process", () => {
  let one: ChatWorld;
  let other: ChatWorld;
  beforeAll(async () => {
    [one, other] = await Promise.all([
      startChatWorld({
        chainNodes: 2,
        settings: { PUBLIC_URL: "http://one.example", RATE_LIMITS: "on" },
        start: ({ settings = {}, ...options }) =>
          startGateway({
            ...options,
            settings: { ...settings, HIVE_NODES: `${DEAD_NODE},${settings.HIVE_NODES}` },
          }),
      }),
      startChatWorld({ settings: { PUBLIC_URL: "http://other.example" } }),
    ]);
  });
  afterAll(() => Promise.all([one.close(), other.close()]));

  const json = async (world: ChatWorld, path: string) =>
    (await (await fetch(world.gateway.url + path)).json()) as {
      servers?: { url: string }[];
      status?: string;
    };

  test("count a chain node that does not answer a bootstrap in the process's metrics", async () => {
    await one.login("alice");
    const { values } = await metrics().chainFailovers.get();
    expect(values.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThan(0);
    expect(one.gateway.services.hive.health().map(({ isAnswering }) => isAnswering)).toContain(false);
  });

  test("serve separate chats: a token from one is invalid at the other", async () => {
    const here = await one.login("alice");
    const there = await other.login("alice");
    expect(here.pat).not.toBe(there.pat);
    expect((await here.api("GET", "/me")).body.user.username).toBe("alice");
    const headers = { authorization: `Bearer ${here.pat}` };
    expect((await fetch(`${other.gateway.url}/api/chat/me`, { headers })).status).toBe(401);
  });

  test("log out separately: one closes no websocket and ends no session of the other", async () => {
    const here = await one.login("bob");
    const there = await other.login("bob");
    const closed: string[] = [];
    const now = performance.now();
    const signIn = signInOf(here.pat);
    const owner = { userId: here.id, signIn };
    one.gateway.services.sockets.register(owner, now, () => closed.push("one"));
    other.gateway.services.sockets.register(owner, now, () => closed.push("other"));
    expect((await here.api("POST", "/logout")).status).toBe(200);
    expect(closed).toEqual(["one"]);
    expect((await there.api("GET", "/me")).status).toBe(200);
  });

  test("have separate settings and quotas", async () => {
    const readServers = async (world: ChatWorld) =>
      (await json(world, "/api/openapi.json")).servers?.map(({ url }) => url);
    expect(await readServers(one)).toEqual(["http://one.example"]);
    expect(await readServers(other)).toEqual(["http://other.example"]);
    const limited = await fetch(`${one.gateway.url}/api/demo/tips?post=${"a".repeat(26)}`);
    const free = await fetch(`${other.gateway.url}/api/demo/tips?post=${"a".repeat(26)}`);
    expect([limited.headers.has("ratelimit"), free.headers.has("ratelimit")]).toEqual([true, false]);
  });

  test("stop independently", async () => {
    one.gateway.services.http.isDraining = true;
    expect((await json(one, "/api/health/ready")).status).toBe("draining");
    expect((await json(other, "/api/health/ready")).status).toBe("ok");
  });
});
