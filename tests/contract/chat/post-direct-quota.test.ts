import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { request } from "../../harness/start-chat.ts";
import { type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { type GatewayOptions, type LocalGateway, startGateway } from "../../harness/start-gateway.ts";
import { unique } from "../../harness/unique.ts";

const allowed = 30;
/** The limit for all users together. */
const allowedOverall = 60;

describe("POST /direct to people unknown to Mattermost", () => {
  let world: ChatWorld;
  let alice: Person;
  let options: GatewayOptions;
  /** Two gateways on one store, called in turn. */
  let gateways: LocalGateway[];
  let asked: number;

  beforeEach(async () => {
    world = await startChatWorld({
      settings: { RATE_LIMITS: "on" },
      start(given) {
        options = given;
        return startGateway(given);
      },
    });
    gateways = [world.gateway, await startOther()];
    asked = 0;
    alice = await world.login("alice");
  });
  afterEach(async () => {
    for (const gateway of gateways) if (gateway !== world.gateway) await gateway.close();
    await world.close();
  });

  const startOther = () =>
    startGateway({ ...options, settings: { ...options.settings, DATA_DIR: world.gateway.dataDir } });

  /** Retries as long as only the write quota, which refills within a second, blocks the call. */
  const post = async (path: string, body?: unknown, who = alice) => {
    const headers = { authorization: `Bearer ${who.pat}` };
    for (;;) {
      const { url } = gateways[asked++ % gateways.length] ?? world.gateway;
      const answer = await request("POST", `${url}/api/chat${path}`, body, headers);
      if (answer.status !== 429 || answer.headers.get("ratelimit-policy") !== '"writes";q=10;w=1')
        return answer;
    }
  };
  const open = (username: string) => post("/direct", { username });

  it("returns 429 with the quota for the 31st channel in a day, even after a new login and a restart", async () => {
    const names = Array.from({ length: allowed + 1 }, () => unique("n"));
    await Promise.all(names.map((name) => world.chain.setAccount({ name })));
    for (const name of names.slice(0, allowed)) expect((await open(name)).status).toBe(200);
    const { status, body, headers } = await open(names[allowed] ?? "");
    expect([status, body.code]).toEqual([429, "rate_limited"]);
    expect(headers.get("ratelimit-policy")).toBe('"writes";q=10;w=1, "new-partners";q=30;w=86400');
    expect(headers.get("ratelimit")).toMatch(/^"writes";r=\d+;t=1, "new-partners";r=0;t=86\d{3}$/);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(1);
    expect((await open(names[0] ?? "")).status).toBe(200);

    expect((await post("/logout")).status).toBe(200);
    alice = await world.login("alice");
    expect((await open(names[allowed] ?? "")).status).toBe(429);
    await gateways.pop()?.close();
    gateways.unshift(await startOther());
    asked = 0;
    expect((await open(names[allowed] ?? "")).status).toBe(429);
  });

  it("returns 429 once all users together have opened 60 channels in a day", async () => {
    const [bob, carol] = await Promise.all([world.login("bob"), world.login("carol")]);
    const names = Array.from({ length: allowedOverall + 1 }, () => unique("o"));
    await Promise.all(names.map((name) => world.chain.setAccount({ name })));
    for (const [index, username] of names.slice(0, allowedOverall).entries())
      expect((await post("/direct", { username }, index % 2 ? bob : carol)).status).toBe(200);
    const { status, body, headers } = await open(names[allowedOverall] ?? "");
    expect([status, body.code]).toEqual([429, "rate_limited"]);
    expect(headers.get("ratelimit-policy")).toBe('"writes";q=10;w=1, "new-partners-overall";q=60;w=86400');
  });
});
