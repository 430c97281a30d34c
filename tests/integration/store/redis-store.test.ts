import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createUpstashStore } from "../../../lib/store/open-store.ts";
import { createRedisStore } from "../../../lib/store/redis-store.ts";
import type { Store } from "../../../lib/store/store.ts";
import { holdTime } from "../../harness/hold-time.ts";
import { soon } from "../../harness/soon.ts";
import { startRedis, type TestRedis } from "../../harness/start-redis.ts";
import { startUpstashBridge, type UpstashBridge } from "../../harness/start-upstash-bridge.ts";

const open: Array<{ close(): Promise<void> }> = [];
const keep = <T extends { close(): Promise<void> }>(thing: T): T => {
  open.unshift(thing);
  return thing;
};
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});

const returns = (store: Store, key: string) => soon(() => store.get(key));

describe("the Redis store", () => {
  it("rejects with degraded while the server is down, and works again when it is back", async () => {
    const redis: TestRedis = keep(await startRedis());
    const store = keep(await createRedisStore({ url: redis.url }));
    await store.set("a", "1");
    await redis.close();
    await expect(store.get("a")).rejects.toMatchObject({ code: "degraded", status: 503 });
    keep(await startRedis({ port: redis.port }));
    expect(await returns(store, "a")).toBeNull();
    expect(await store.setIfAbsent("a", "2")).toBe(true);
  });

  it("lists more entries than Lua unpacks at once", async () => {
    const redis = keep(await startRedis());
    const store = keep(await createRedisStore({ url: redis.url }));
    const keys = Array.from({ length: 8200 }, (_, index) => `many:${index}`);
    for (let from = 0; from < keys.length; from += 1000) {
      const set = keys.slice(from, from + 1000).map((key) => [key, `of ${key}`] as const);
      await store.commit({ expect: [], set });
    }
    const listed = await store.list("many:", 10_000);
    expect(listed.map(({ key }) => key).sort()).toEqual([...keys].sort());
    expect(listed.every(({ key, value }) => value === `of ${key}`)).toBe(true);
    expect(await store.list("many:", 8100)).toHaveLength(8100);
  });

  it("opens while the server is down, and works once it starts", async () => {
    const redis = keep(await startRedis());
    await redis.close();
    const store = keep(await createRedisStore({ url: redis.url }));
    await expect(store.ping()).rejects.toMatchObject({ code: "degraded" });
    keep(await startRedis({ port: redis.port }));
    expect(await returns(store, "a")).toBeNull();
  });

  it("does not run a failed command when the server is back", async () => {
    const redis = keep(await startRedis());
    const store = keep(await createRedisStore({ url: redis.url }));
    await store.ping();
    await redis.close();
    // The first write may fail with its connection. The second waits for another connection, and must not
    // continue to wait after that connection has failed.
    for (const key of ["late", "later"])
      await expect(store.set(key, "1")).rejects.toMatchObject({ code: "degraded" });
    keep(await startRedis({ port: redis.port }));
    expect([await returns(store, "late"), await store.get("later")]).toEqual([null, null]);
  });

  it("gives up on a server that accepts commands but does not answer", async () => {
    const redis = keep(await startRedis());
    const store = keep(await createRedisStore({ url: redis.url }));
    await store.set("a", "1");
    redis.pause();
    await expect(store.get("a")).rejects.toMatchObject({ code: "degraded" });
    redis.resume();
    expect(await returns(store, "a")).toBe("1");
  });

  it("waits about two seconds for an answer", async () => {
    const redis = keep(await startRedis());
    const store = keep(await createRedisStore({ url: redis.url }));
    await store.set("a", "1");
    redis.pause();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      let isOver = false;
      const asked = expect(store.get("a").finally(() => (isOver = true))).rejects.toMatchObject({
        code: "degraded",
      });
      await vi.advanceTimersByTimeAsync(1999);
      expect(isOver).toBe(false);
      await vi.advanceTimersByTimeAsync(201);
      expect(isOver).toBe(true);
      await asked;
    } finally {
      vi.useRealTimers();
      redis.resume();
    }
  });

  it("omits the command from the error", async () => {
    const redis = keep(await startRedis());
    const store = keep(await createRedisStore({ url: redis.url }));
    await redis.close();
    const error = await store.set("key-text", "value-text").catch((fault: Error) => fault);
    expect(`${(error as Error).message} ${String((error as Error).cause)}`).not.toMatch(
      /key-text|value-text/,
    );
  });
});

describe("the Upstash store", () => {
  const start = async (): Promise<[UpstashBridge, Store]> => {
    const redis = keep(await startRedis());
    const bridge = keep(await startUpstashBridge(redis.url));
    return [bridge, createUpstashStore(bridge)];
  };

  it("sends one request: a lost answer is an error without a retry", async () => {
    const [bridge, store] = await start();
    bridge.loseAnswers(1);
    await expect(store.setIfAbsent("a", "mine")).rejects.toMatchObject({ code: "degraded" });
    expect(bridge.commands).toHaveLength(1);
    expect(await store.get("a")).toBe("mine");
  });

  it("rejects with degraded, and without the command's text, when the token is wrong", async () => {
    const [bridge] = await start();
    const store = createUpstashStore({ url: bridge.url, token: "another" });
    const error = await store.set("key-text", "value-text").catch((fault: Error) => fault);
    expect(error).toMatchObject({ code: "degraded" });
    expect(`${(error as Error).message} ${String((error as Error).cause)}`).not.toMatch(
      /key-text|value-text/,
    );
  });

  it.each([
    ["uses an answer within three seconds", 2999, "1"],
    ["drops an answer after three seconds", 3000, null],
  ])("%s", async (_, afterMs, expected) => {
    const time = holdTime();
    const waiting: ServerResponse[] = [];
    const server = createServer((_request, response) => waiting.push(response)).listen(0, "127.0.0.1");
    keep({
      async close() {
        time.release();
        server.closeAllConnections();
        server.close();
      },
    });
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const asked = createUpstashStore({ url: `http://127.0.0.1:${port}`, token: "token" }).get("a");
    await soon(() => expect(waiting).toHaveLength(1));
    time.pass(afterMs);
    waiting[0]?.writeHead(200, { "content-type": "application/json" }).end('[{"result":"MQ=="}]');
    if (expected === null) await expect(asked).rejects.toMatchObject({ code: "degraded" });
    else expect(await asked).toBe(expected);
  });

  it("rejects with degraded when nothing listens", async () => {
    const [bridge, store] = await start();
    await bridge.close();
    await expect(store.get("a")).rejects.toMatchObject({ code: "degraded" });
  });
});
