import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { signPayment } from "../../lib/x402/client/index.ts";
import { askPaid, offerOf, receiptOf } from "../harness/ask-paid.ts";
import { askIdentified, identify, sendIdentified } from "../harness/identify-payment.ts";
import { startRedis, type TestRedis } from "../harness/start-redis.ts";
import { type Shop, startShop } from "../harness/start-shop.ts";
import { type ShopProcessOptions, shopPlacesToDie, startShopProcess } from "../harness/start-shop-process.ts";

let shop: Shop;
let dataDir: string;
const running: Array<{ close(): Promise<void> }> = [];
beforeEach(async () => {
  shop = await startShop();
  dataDir = await mkdtemp(join(tmpdir(), "shop-"));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.close()));
  await shop.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(
  store: ShopProcessOptions["store"] = { kind: "sqlite", dataDir },
  diesAt?: ShopProcessOptions["diesAt"],
) {
  const one = await startShopProcess({ ...shop.price, store, ...(diesAt && { diesAt }) });
  running.push(one);
  return one;
}

/**
 * Creates a payment whose nonce the client generates, so that servers of this resource accept it on any
 * port.
 */
async function payFor(url: string) {
  const { extra: _offered, ...requirements } = await offerOf(await fetch(url));
  return signPayment({ ...shop.purse(), requirements });
}

describe("a server killed while it serves a paid request", () => {
  const flows = ["upfront", "authorization"] as const;
  test.each(flows.flatMap((flow) => shopPlacesToDie.map((place) => [place, flow] as const)))(
    "delivers for the same payment after the restart, charged once: killed %s, in the %s flow",
    async (diesAt, paymentFlow) => {
      const publicUrl = "http://shop.example";
      const store = { kind: "sqlite" as const, dataDir };
      const options = { ...shop.price, publicUrl, paymentFlow, store };
      const mortal = await startShopProcess({ ...options, diesAt });
      const payment = await payFor(mortal.url);
      const lost = await fetch(mortal.url, { headers: { "x-payment": payment } })
        .then((response) => response.text())
        .catch(() => "no answer");
      expect([lost, (await mortal.exited)[1]]).toEqual(["no answer", "SIGKILL"]);
      const isUncharged = diesAt === "after the claim" || diesAt === "in the handler";
      if (paymentFlow === "authorization" && isUncharged)
        expect(await shop.balances()).toMatchObject({ alice: 100_000, shop: 0 });

      const next = await startShopProcess(options);
      running.push(next);
      const delivered = await askPaid(next.url, payment);
      expect([delivered.status, await delivered.text()]).toEqual([200, "content"]);
      expect(receiptOf(delivered)).toMatchObject({ success: true, payer: "alice" });
      expect(await shop.balances()).toMatchObject({ alice: 99_950, shop: 50 });
      expect((await askPaid(next.url, payment)).status).toBe(402);
      expect(await shop.balances()).toMatchObject({ alice: 99_950, shop: 50 });
    },
  );
});

describe("a server killed after it has sent the answer to a payment with an id", () => {
  test("leaves that answer to the next server, which charges nothing", async () => {
    const publicUrl = "http://shop.example";
    const options = { ...shop.price, publicUrl, store: { kind: "sqlite" as const, dataDir } };
    const mortal = await startShopProcess({
      ...options,
      content: "first",
      diesAt: "after the content was sent",
    });
    const payload = identify(await payFor(mortal.url), await fetch(mortal.url));
    await sendIdentified(mortal.url, payload).catch(() => "lost");
    expect((await mortal.exited)[1]).toBe("SIGKILL");

    const next = await startShopProcess({ ...options, content: "second" });
    running.push(next);
    const before = await shop.balances();
    const again = await askIdentified(next.url, payload);
    expect([again.status, await again.text()]).toEqual([200, "first"]);
    expect(receiptOf(again)).toMatchObject({ success: true, payer: "alice" });
    expect(await shop.balances()).toEqual(before);
  });
});

describe("two servers that share a store", () => {
  test.each(["sqlite", "redis"] as const)(
    "return each other's answers to payments with an id: %s",
    async (kind) => {
      const redis = kind === "redis" ? await startRedis() : null;
      if (redis) running.push(redis);
      const store = redis ? { kind: "redis" as const, url: redis.url } : { kind: "sqlite" as const, dataDir };
      const options = { ...shop.price, publicUrl: "http://shop.example", store };
      const [first, second] = await Promise.all([
        startShopProcess({ ...options, content: "first" }),
        startShopProcess({ ...options, content: "second" }),
      ]);
      running.push(first, second);
      const payload = identify(await payFor(first.url), await fetch(first.url));
      expect(await (await askIdentified(first.url, payload)).text()).toBe("first");
      expect(await (await askIdentified(second.url, payload)).text()).toBe("first");
      expect(await shop.balances()).toMatchObject({ alice: 99_950, shop: 50 });
    },
  );

  const race = async (
    store: ShopProcessOptions["store"],
    { paymentFlow }: Pick<ShopProcessOptions, "paymentFlow"> = {},
  ) => {
    const publicUrl = "http://shop.example";
    const options = { ...shop.price, publicUrl, store, ...(paymentFlow && { paymentFlow }) };
    const servers = await Promise.all([1, 2].map(() => startShopProcess(options)));
    running.push(...servers);
    const [first] = servers as [(typeof servers)[number]];
    const payment = await payFor(first.url);
    const asks = servers.flatMap(({ url }) => Array.from({ length: 5 }, () => askPaid(url, payment)));
    const statuses = (await Promise.all(asks)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 402)]);
    expect(await shop.balances()).toMatchObject({ alice: 99_950, shop: 50 });
  };

  test("deliver one payment once with a SQLite file", () => race({ kind: "sqlite", dataDir }));

  test("deliver one payment once in the authorization flow", () =>
    race({ kind: "sqlite", dataDir }, { paymentFlow: "authorization" }));

  test("deliver one payment once with Redis", async () => {
    const redis = await startRedis();
    running.push(redis);
    await race({ kind: "redis", url: redis.url });
  });
});

describe("a Redis outage", () => {
  let redis: TestRedis;
  beforeEach(async () => {
    redis = await startRedis();
    running.push(redis);
  });

  test("before settlement causes 503 without a charge, and the payment delivers afterwards", async () => {
    const server = await start({ kind: "redis", url: redis.url });
    const payment = await payFor(server.url);
    redis.pause();
    const response = await fetch(server.url, { headers: { "x-payment": payment } });
    expect([response.status, response.headers.has("retry-after")]).toEqual([503, true]);
    expect(await shop.balances()).toMatchObject({ alice: 100_000, shop: 0 });
    redis.resume();
    expect((await askPaid(server.url, payment)).status).toBe(200);
    expect(await shop.balances()).toMatchObject({ alice: 99_950, shop: 50 });
  });

  test("during settlement causes no delivery without a record and no second charge", async () => {
    const server = await start({ kind: "redis", url: redis.url });
    const payment = await payFor(server.url);
    shop.door.treat((path) => {
      if (path === "/settle") redis.pause();
      return "pass";
    });
    const response = await fetch(server.url, { headers: { "x-payment": payment } });
    expect([response.status, (await response.text()).includes("content")]).toEqual([503, false]);
    shop.door.treat(() => "pass");
    redis.resume();
    const delivered = await askPaid(server.url, payment);
    expect([delivered.status, await delivered.text()]).toEqual([200, "content"]);
    expect(await shop.balances()).toMatchObject({ alice: 99_950, shop: 50 });
  });
});
