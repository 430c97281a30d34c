import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CLIENT_ADDRESS_HEADER } from "../../../lib/http/client-address.ts";
import { createTokenBuckets } from "../../../lib/http/rate-limit.ts";
import { log } from "../../../lib/log.ts";
import { httpScope, routeWith } from "../../harness/http-scope.ts";

log("silent");
const openDoors = () => {
  const services = { http: httpScope() };
  return { route: routeWith(services), inThings: routeWith(services, "/api/things/{thingId}") };
};

const address = "https://chat.example.com/api/chat/things";

describe("a rate limiter", () => {
  const quota = { name: "quota", requests: 1, windowSeconds: 1 };

  it("refuses beyond the bucket's capacity, and refills evenly", () => {
    let now = 0;
    const buckets = createTokenBuckets(10, () => now);
    const take = () => buckets.take({ name: "quota", requests: 2, windowSeconds: 10 }, "a");
    expect(take()).toMatchObject({ isTaken: true, remaining: 1 });
    expect(take()).toMatchObject({ isTaken: true, remaining: 0, fullInSeconds: 10 });
    expect(take()).toMatchObject({ isTaken: false, nextInSeconds: 5 });
    now = 4999;
    expect(take().isTaken).toBe(false);
    now = 5000;
    expect(take().isTaken).toBe(true);
    now = 1_000_000;
    expect(take().remaining).toBe(1);
  });
  it("separates buckets by key", () => {
    const buckets = createTokenBuckets(10, () => 0);
    expect(buckets.take(quota, "a").isTaken).toBe(true);
    expect(buckets.take(quota, "b").isTaken).toBe(true);
    expect(buckets.take(quota, "a").isTaken).toBe(false);
  });
  it("limits the number of buckets, dropping the least recently used", () => {
    const buckets = createTokenBuckets(2, () => 0);
    buckets.take(quota, "a");
    buckets.take(quota, "b");
    buckets.take(quota, "a");
    buckets.take(quota, "c");
    expect(buckets.take(quota, "a").isTaken).toBe(false);
    expect(buckets.take(quota, "b").isTaken).toBe(true);
  });
  it("ignores a clock that goes back", () => {
    let now = 1000;
    const buckets = createTokenBuckets(2, () => now);
    buckets.take(quota, "a");
    now = 0;
    expect(buckets.take(quota, "a")).toMatchObject({ isTaken: false, nextInSeconds: 1 });
  });
});

describe("route limits", () => {
  it("counts a user's writes: 10 a second, then 429 with Retry-After", async () => {
    const { route } = openDoors();
    const write = route({ auth: "pat" }, () => ({ ok: true }));
    const send = (pat: string, method = "POST") =>
      write(new Request(address, { method, headers: { authorization: `Bearer ${pat}` } }));
    const answers = await Promise.all(Array.from({ length: 11 }, () => send("w".repeat(26))));
    const last = answers.at(-1);
    expect(answers.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(answers[0]?.headers.get("ratelimit-policy")).toBe('"writes";q=10;w=1');
    expect(answers[0]?.headers.get("ratelimit")).toMatch(/^"writes";r=9;t=1$/);
    expect(last?.status).toBe(429);
    expect(last?.headers.get("ratelimit-policy")).toBe('"writes";q=10;w=1');
    expect(last?.headers.get("ratelimit")).toMatch(/^"writes";r=0;t=1$/);
    expect(Number(last?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(await last?.json()).toMatchObject({ code: "rate_limited" });
    expect((await send("w".repeat(26), "GET")).status).toBe(200);
    expect((await send("v".repeat(26))).status).toBe(200);
  });

  it("counts by client address before reading the body, and by its contents afterwards", async () => {
    const { route } = openDoors();
    const limited = route(
      {
        body: z.object({ name: z.string() }),
        limits: [
          { name: "clients", requests: 4, windowSeconds: 60, by: "client" },
          { name: "names", requests: 1, windowSeconds: 60, by: (body: { name: string }) => body.name },
        ],
      },
      () => ({ ok: true }),
    );
    const send = async (client: string, body: string) => {
      const headers = { "content-type": "application/json", [CLIENT_ADDRESS_HEADER]: client };
      return (await limited(new Request(address, { method: "POST", headers, body }))).status;
    };
    expect(await send("1.1.1.1", '{"name":"alice"}')).toBe(200);
    expect(await send("1.1.1.1", '{"name":"alice"}')).toBe(429);
    expect(await send("1.1.1.1", '{"name":"bob"}')).toBe(200);
    expect(await send("1.1.1.1", "{")).toBe(400);
    expect(await send("1.1.1.1", "{")).toBe(429);
    expect(await send("2.2.2.2", '{"name":"carol"}')).toBe(200);
  });

  it("keeps other limits in force while a caller invents thousands of tokens", async () => {
    const { route, inThings } = openDoors();
    const limit = { name: "doors", requests: 1, windowSeconds: 3600, by: "client" } as const;
    const door = route({ limits: [limit] }, () => ({ ok: true }));
    const knock = async () => (await door(new Request(address, { method: "POST" }))).status;
    const write = inThings({ auth: "pat" }, () => ({ ok: true }));
    expect([await knock(), await knock()]).toEqual([200, 429]);
    for (let count = 0; count <= 20_000; count++) {
      const headers = { authorization: `Bearer ${String(count).padStart(26, "x")}` };
      await write(new Request(address, { method: "POST", headers }));
    }
    expect(await knock()).toBe(429);
  });
});
