import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkAnswer } from "../../harness/check-answer.ts";
import { soon } from "../../harness/soon.ts";
import { type Chat, startChat } from "../../harness/start-chat.ts";
import { startGateway } from "../../harness/start-gateway.ts";
import { type GatewayProcess, startGatewayProcess } from "../../harness/start-gateway-process.ts";

let chat: Chat;
const gateways: GatewayProcess[] = [];
beforeAll(async () => {
  chat = await startChat();
});
beforeEach(() => chat.chain.produceBlocks());
afterAll(() => chat.close());
afterEach(async () => {
  chat.proxy.treat(() => "pass");
  for (const gateway of gateways.splice(0)) await gateway.close();
});

async function start() {
  const gateway = await startGatewayProcess({ settings: { ...chat.settings, LOG_LEVEL: "warn" } });
  gateways.push(gateway);
  return gateway;
}

async function ready({ url }: GatewayProcess) {
  const response = await fetch(`${url}/api/health/ready`);
  const body = (await response.json()) as { status: string; parts: { mattermost: Record<string, unknown> } };
  checkAnswer("GET", `${url}/api/health/ready`, response.status, body);
  return { code: response.status, status: body.status, mattermost: body.parts.mattermost };
}

describe("a gateway whose Mattermost is up", () => {
  test("is not ready while Mattermost's database is down, and reports the database as down", async () => {
    const text = JSON.stringify({ status: "UNHEALTHY", database_status: "UNHEALTHY" });
    chat.proxy.treat(({ path }) => (path === "/system/ping" ? { status: 500, text } : "pass"));
    expect(await ready(await start())).toMatchObject({
      code: 503,
      status: "unavailable",
      mattermost: { ok: false, database: "down" },
    });
  });

  test("reports the database as up while it is up", async () => {
    expect((await ready(await start())).mattermost).toMatchObject({ ok: true, database: "ok" });
  });

  test.each([
    ["every call", 0],
    ["all but the first", 1],
  ])("is not ready while Mattermost rate-limits %s, and reports it", async (_, granted) => {
    const gateway = await start();
    let asked = 0;
    const limited = { status: 429, text: "limit exceeded" };
    chat.proxy.treat(() => (asked++ < granted ? "pass" : limited));
    const told = { code: 503, status: "unavailable", mattermost: { ok: false, warning: "rate_limited" } };
    await soon(async () => expect(await ready(gateway)).toMatchObject(told));
  });

  const limits = (activeUserCount: number) => ({
    status: 200,
    text: JSON.stringify({ activeUserCount, maxUsersLimit: 200, maxUsersHardLimit: 250 }),
  });
  const standings = [
    { active: 199, warning: undefined, line: undefined },
    { active: 241, warning: "user_limit_near", line: /"active":241,"limit":250.*close to its user limit/ },
    {
      active: 250,
      warning: "user_limit_reached",
      line: /"active":250,"limit":250.*has reached its user limit/,
    },
  ];
  test.each(standings)(
    "is ready with $active of 250 users (warning in report and log: $warning)",
    async ({ active, warning, line }) => {
      chat.proxy.treat(({ path }) => (path === "/limits/server" ? limits(active) : "pass"));
      const gateway = await start();
      const { code, status, mattermost } = await ready(gateway);
      expect([code, status, mattermost.warning]).toEqual([200, "ok", warning]);
      if (line) await expect.poll(gateway.output).toMatch(line);
      else expect(gateway.output()).not.toMatch(/full of users/);
      const { ms: _, ...told } = mattermost;
      expect(JSON.stringify(told), "not everybody's business").not.toContain(String(active));
    },
  );

  test.each([
    ["hides its limit", { status: 403, text: '{"id":"api.context.permissions.app_error"}' }],
    ["is too old to report its limit", { status: 404, text: '{"id":"api.context.404.app_error"}' }],
    ["fails to report its limit", "cut" as const],
    ["never reports its limit", "hang" as const],
  ])("is ready when Mattermost %s", async (_, treatment) => {
    chat.proxy.treat(({ path }) => (path === "/limits/server" ? treatment : "pass"));
    const { code, status, mattermost } = await ready(await start());
    expect([code, status, mattermost.ok, mattermost.warning]).toEqual([200, "ok", true, undefined]);
  });

  test("reads the user limit at start, before any request", async () => {
    const gateway = await startGateway({ settings: chat.settings });
    chat.proxy.forget();
    gateway.services.start();
    await expect.poll(chat.calls).toContain("GET /limits/server");
    await gateway.close();
  });
});
