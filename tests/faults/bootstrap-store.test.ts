import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { soon } from "../harness/soon.ts";
import { type Chat, requestBootstrap, startChat } from "../harness/start-chat.ts";
import { startGateway } from "../harness/start-gateway.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/start-gateway-process.ts";
import { startRedis, type TestRedis } from "../harness/start-redis.ts";
import { startUpstashBridge } from "../harness/start-upstash-bridge.ts";

describe("bootstrap on a shared store", () => {
  let chat: Chat;
  let redis: TestRedis;
  const open: Array<{ close(): Promise<void> }> = [];

  beforeEach(async () => {
    chat = await startChat();
    redis = await startRedis();
  });
  afterEach(async () => {
    for (const thing of open.splice(0)) await thing.close();
    await redis.close();
    await chat.close();
  });

  const storeSettings: Record<string, () => Promise<Record<string, string>>> = {
    "in Redis": async () => ({ REDIS_URL: redis.url }),
    "behind Upstash's REST API": async () => {
      const bridge = await startUpstashBridge(redis.url);
      open.push(bridge);
      return { UPSTASH_REDIS_REST_URL: bridge.url, UPSTASH_REDIS_REST_TOKEN: bridge.token };
    },
  };

  it.each(Object.keys(storeSettings))(
    "does the work once when two gateways share a store %s",
    async (kind) => {
      const store = await storeSettings[kind]?.();
      const machines: GatewayProcess[] = [];
      for (let count = 0; count < 2; count++) {
        const machine = await startGatewayProcess({ settings: { ...chat.settings, ...store } });
        machines.push(machine);
        open.unshift(machine);
      }
      const name = await chat.newAccount();
      await chat.newCommunities(2, name);
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) => requestBootstrap(machines[index % 2]?.url ?? "", name)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
      expect(new Set(answers.map(({ body }) => body.token)).size).toBe(1);
      expect(await chat.tokensOf(answers[0]?.body.userId ?? "")).toHaveLength(1);
    },
  );

  it("returns 503 with Retry-After while the store is down, and creates a new token when it returns empty", async () => {
    const gateway = await startGateway({ settings: { ...chat.settings, REDIS_URL: redis.url } });
    open.push(gateway);
    const first = await requestBootstrap(gateway.url, "alice");
    expect(first.status).toBe(200);
    await redis.close();
    const down = await requestBootstrap(gateway.url, "alice");
    expect([down.status, down.body.code]).toEqual([503, "degraded"]);
    expect(Number(down.headers.get("retry-after"))).toBeGreaterThan(0);
    redis = await startRedis({ port: redis.port });
    const again = await soon(async () => {
      const answer = await requestBootstrap(gateway.url, "alice");
      expect(answer.status).toBe(200);
      return answer;
    });
    expect(again.body.userId).toBe(first.body.userId);
    expect(again.body.token).not.toBe(first.body.token);
  });
});
