import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createRedisStore } from "#lib/store/redis-store.ts";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import { decodePayment, encodePayment } from "#lib/x402/codec.ts";
import { type ClaimStore, createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import type { PaymentPayload } from "#lib/x402/types.ts";
import { askPaid } from "../../../harness/ask-paid.ts";
import { echo, openShop } from "../../../harness/open-shop.ts";
import { startRedis } from "../../../harness/start-redis.ts";

const { shop, sell } = await openShop();

const endings: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/**
 * Returns the payment with a secret other than its holder's, or without one. Everything else can be read in
 * a block.
 */
function copyOf(header: string, holder?: string): string {
  const payment = decodePayment(header);
  const { holder: _secret, ...copied } = payment.payload;
  return encodePayment({ ...payment, payload: { ...copied, ...(holder !== undefined && { holder }) } });
}
const thieves = (header: string) => [copyOf(header), copyOf(header, "t".repeat(43))];
const ask = (url: string, payment: string) => fetch(url, { headers: { "x-payment": payment } });
const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;

const stores: Array<[string, () => Promise<ClaimStore>]> = [
  ["memory", async () => createMemoryClaimStore()],
  [
    "a SQLite file",
    async () => {
      const dataDir = await mkdtemp(join(tmpdir(), "holder-"));
      const store = createSqliteStore({ dataDir });
      endings.push(() => rm(dataDir, { recursive: true, force: true }), store.close);
      return store;
    },
  ],
  [
    "Redis",
    async () => {
      const redis = await startRedis();
      const store = await createRedisStore({ url: redis.url });
      endings.push(redis.close, store.close);
      return store;
    },
  ],
];

describe("a payment whose handler failed", () => {
  test.each(stores)(
    "belongs only to its holder, even at another server with the same claims in %s",
    async (_name, open) => {
      let isBroken = true;
      let runs = 0;
      const options = { store: await open(), publicUrl: "http://shop.example", secret: "shared" };
      const handler: typeof echo = (request, context) => {
        runs += 1;
        return isBroken ? new Response(null, { status: 502 }) : echo(request, context);
      };
      const [url, other] = [await sell(handler, options), await sell(handler, options)];
      const payment = await shop.payFor(url);
      expect((await askPaid(url, payment)).status).toBe(502);
      isBroken = false;
      const before = await shop.balances();
      for (const stolen of thieves(payment))
        for (const place of [url, other]) {
          const answer = await askPaid(place, stolen);
          expect([answer.status, await codeOf(answer)]).toEqual([402, "payment_replayed"]);
        }
      expect(runs).toBe(1);
      expect((await askPaid(other, payment)).status).toBe(200);
      expect(await codeOf(await askPaid(url, payment))).toBe("payment_replayed");
      expect(await shop.balances()).toEqual(before);
    },
  );

  test("is not held up by copies of it sent at the same time", async () => {
    let isBroken = true;
    const url = await sell((request, context) =>
      isBroken ? new Response(null, { status: 500 }) : echo(request, context),
    );
    const payment = await shop.payFor(url);
    await askPaid(url, payment);
    isBroken = false;
    const copies = Array.from({ length: 5 }, () => thieves(payment)).flat();
    const [own, ...stolen] = await Promise.all([payment, ...copies].map((header) => ask(url, header)));
    expect([own?.status, new Set(stolen.map(({ status }) => status))]).toEqual([200, new Set([402])]);
  });
});

test("a payment waiting for its block belongs only to its holder", async () => {
  const url = await sell(echo);
  const payment = await shop.payFor(url);
  shop.door.treat((path) => (path === "/settle" ? "lose-answer" : "pass"));
  const first = await ask(url, payment);
  expect([first.status, await codeOf(first)]).toEqual([503, "settlement_pending"]);
  shop.door.treat(() => "pass");
  for (const stolen of thieves(payment))
    expect(await codeOf(await ask(url, stolen))).toBe("payment_replayed");
  expect((await askPaid(url, payment)).status).toBe(200);
});

test("the holder's secret appears in no store and in no facilitator call", async () => {
  const claims = createMemoryClaimStore();
  const written: string[] = [];
  const url = await sell(echo, {
    store: {
      ...claims,
      setIfAbsent: (...given) => {
        written.push(given.join());
        return claims.setIfAbsent(...given);
      },
      replace: (...given) => {
        written.push(given.join());
        return claims.replace(...given);
      },
    },
  });
  const from = shop.door.calls.length;
  const payment = await shop.payFor(url);
  expect((await askPaid(url, payment)).status).toBe(200);
  const { holder = "none" } = decodePayment(payment).payload;
  expect(holder).toMatch(/^[A-Za-z0-9_-]{43}$/);
  const calls = shop.door.calls.slice(from);
  expect([calls.length, JSON.stringify(calls).includes("holder")]).toEqual([2, false]);
  expect([written.join().includes('"holder":"'), written.join().includes(holder)]).toEqual([true, false]);
});

test.each(["", "short", "x".repeat(21), "x".repeat(87), `${"x".repeat(42)}=`, 1, null])(
  "a holder of %j makes the payment unreadable",
  async (holder) => {
    const url = await sell(echo);
    const payment = decodePayment(await shop.payFor(url));
    const header = btoa(
      JSON.stringify({ ...payment, payload: { ...payment.payload, holder } } satisfies {
        payload: Record<keyof PaymentPayload["payload"], unknown>;
      }),
    );
    expect(await codeOf(await ask(url, header))).toBe("invalid_payload");
  },
);

test("a payment without a holder is delivered once", async () => {
  const url = await sell(echo);
  const payment = copyOf(await shop.payFor(url));
  expect((await askPaid(url, payment)).status).toBe(200);
  expect(await codeOf(await askPaid(url, payment))).toBe("payment_replayed");
});
