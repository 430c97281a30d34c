import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import type { MadePayment, PayingFetchOptions } from "#lib/x402/client/index.ts";
import { encodeBase64Json } from "#lib/x402/header.ts";
import { createMemoryStore } from "#lib/x402/memory-store.ts";
import { createSellers } from "../../../harness/create-sellers.ts";
import { makeOffer } from "../../../harness/serve-offers.ts";
import { startScriptedNode } from "../../../harness/start-scripted-node.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

let shop: Shop;
const sellers = createSellers();
beforeAll(async () => {
  shop = await startShop({ now: Date.now });
});
afterAll(() => shop.close());

const txId = "ab".repeat(20);
const receipt = { "x-payment-response": encodeBase64Json({ success: true, txId }) };

const serveOffers = (paid?: NonNullable<Parameters<typeof sellers.serveOffers>[1]>["paid"]) =>
  sellers.serveOffers([makeOffer()], { ...(paid && { paid }) });

test("payments are reported with their URL, price, payee, status and transaction", async () => {
  const server = await serveOffers(() => new Response("content", { headers: receipt }));
  const told: MadePayment[] = [];
  const payingFetch = shop.payer({ onPayment: (payment) => told.push(payment) });
  await payingFetch(`${server.url}/a`);
  await payingFetch(`${server.url}/b`);
  expect(told).toMatchObject([
    { url: `${server.url}/a`, amount: "0.050 HBD", payTo: "shop", status: 200, txId, isRepeat: false },
    { url: `${server.url}/b` },
  ]);
});

test("a payment sent again is reported again, as a repeat", async () => {
  const answers = [
    () => new Response(null, { status: 500 }),
    () => new Response("content", { headers: receipt }),
  ];
  const server = await serveOffers(() => answers.shift()?.() ?? new Response(null, { status: 500 }));
  const told: MadePayment[] = [];
  const payingFetch = shop.payer({ onPayment: (payment) => told.push(payment) });
  await payingFetch(server.url);
  await payingFetch(server.url);
  expect(told).toMatchObject([
    { status: 500, txId: null, isRepeat: false },
    { status: 200, txId, isRepeat: true },
  ]);
  expect((await payingFetch.spent()).lastDay).toBe("0.050 HBD");
});

test("a payment is reported without a transaction when its receipt is missing or malformed", async () => {
  const receipts = [undefined, "?", encodeBase64Json({ txId: "<b>" })];
  const server = await serveOffers(() => {
    const receipt = receipts.shift();
    return new Response("content", { headers: receipt ? { "x-payment-response": receipt } : {} });
  });
  const told: MadePayment[] = [];
  const payingFetch = shop.payer({ onPayment: (payment) => told.push(payment) });
  for (const path of ["/a", "/b", "/c"]) await payingFetch(server.url + path);
  expect(told.map((payment) => payment.txId)).toEqual([null, null, null]);
});

test.each<[string, NonNullable<PayingFetchOptions["onPayment"]>]>([
  [
    "throws",
    () => {
      throw new Error("disk full");
    },
  ],
  ["rejects", () => Promise.reject(new Error("disk full"))],
])("a listener that %s does not prevent the delivery", async (_name, onPayment) => {
  const server = await serveOffers(() => new Response("content"));
  expect(await (await shop.payer({ onPayment })(server.url)).text()).toBe("content");
});

test("spending is reported in total and by host", async () => {
  const [one, other] = [await serveOffers(), await serveOffers()];
  const payingFetch = shop.payer();
  for (const url of [one.url, other.url, other.url]) await payingFetch(url);
  expect(await payingFetch.spent()).toEqual({
    lastDay: "0.150 HBD",
    byHost: { [new URL(one.url).host]: "0.050 HBD", [new URL(other.url).host]: "0.100 HBD" },
  });
});

test("a day's budget in a store survives a restart of the client", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "hivegate-budget-"));
  const server = await serveOffers();
  for (const [path, isPaid] of [
    ["/a", true],
    ["/b", false],
  ] as const) {
    const store = createSqliteStore({ dataDir });
    const payingFetch = shop.payer({ budget: { perDay: "0.050 HBD", store } });
    const asked = payingFetch(server.url + path);
    if (isPaid) expect((await asked).status).toBe(200);
    else await expect(asked).rejects.toMatchObject({ code: "over_budget" });
    expect((await payingFetch.spent()).lastDay).toBe("0.050 HBD");
    await store.close();
  }
  await rm(dataDir, { recursive: true, force: true });
});

test.each([
  ["back", -8],
  ["forward", 8],
])(
  "a day's budget in a store is neither used up nor renewed by a clock that is set %s",
  async (_name, days) => {
    const store = createMemoryStore();
    const server = await serveOffers();
    const realNow = Date.now;
    expect((await shop.payer({ budget: { perDay: "0.100 HBD", store } })(`${server.url}/a`)).status).toBe(
      200,
    );
    vi.spyOn(Date, "now").mockImplementation(() => realNow() + days * 86_400_000);
    const payingFetch = shop.payer({ budget: { perDay: "0.100 HBD", store } });
    expect((await payingFetch.spent()).lastDay).toBe("0.050 HBD");
    expect((await payingFetch(`${server.url}/b`)).status).toBe(200);
    vi.restoreAllMocks();
    await expect(payingFetch(`${server.url}/c`)).rejects.toMatchObject({ code: "over_budget" });
    const restarted = shop.payer({ budget: { perDay: "0.100 HBD", store } });
    expect((await restarted.spent()).lastDay).toBe("0.100 HBD");
  },
);

test("the rest of a day's budget in a store is unknown while no chain node answers", async () => {
  const budget = { perDay: "0.100 HBD", store: createMemoryStore() };
  const payingFetch = shop.payer({ budget, nodes: ["http://127.0.0.1:1"] });
  await expect(payingFetch.spent()).rejects.toMatchObject({ code: "chain_unavailable" });
});

test("a single answering node does not renew a day's budget in a store", async () => {
  const server = await serveOffers();
  const liar = await startScriptedNode(shop.chain.chainId, async ({ method, params }) => {
    const result = await shop.chain.call(method, params);
    if (method !== "condenser_api.get_dynamic_global_properties") return { result };
    const { time } = result as { time: string };
    const lied = new Date(Date.parse(`${time}Z`) + 25 * 3_600_000).toISOString().slice(0, 19);
    return { result: { ...(result as object), time: lied } };
  });
  const store = createMemoryStore();
  const budget = { perDay: "0.050 HBD", store };
  expect((await shop.payer({ budget })(`${server.url}/a`)).status).toBe(200);
  const nodes = [liar.url, "http://127.0.0.1:1"];
  const deceived = shop.payer({ budget, nodes })(`${server.url}/b`);
  await expect(deceived).rejects.toMatchObject({ code: "chain_unavailable" });
  await liar.close();
  await expect(shop.payer({ budget })(`${server.url}/c`)).rejects.toMatchObject({ code: "over_budget" });
});

test("nothing is paid while the budget's store fails", async () => {
  const server = await serveOffers();
  const down = () => Promise.reject(new Error("down"));
  const store = { get: down, setIfAbsent: down, replace: down };
  const asked = shop.payer({ budget: { perDay: "1.000 HBD", store } })(server.url);
  await expect(asked).rejects.toMatchObject({ name: "PaymentError", code: "budget_unavailable" });
  expect(server.payments()).toEqual([]);
});

test("the error names activeKey if it is undefined, as from an unset environment variable", () => {
  expect(() => shop.payer({ activeKey: undefined })).toThrow(/activeKey is not set/);
});
