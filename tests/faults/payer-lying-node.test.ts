import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PayingFetchOptions } from "../../lib/x402/client/index.ts";
import { withPaywall } from "../../lib/x402/next.ts";
import { serveWeb } from "../harness/serve-web.ts";
import { type Shop, startShop } from "../harness/start-shop.ts";

const HEAD = "condenser_api.get_dynamic_global_properties";
const HEADER = "condenser_api.get_block_header";

let shop: Shop;
let page: Awaited<ReturnType<typeof serveWeb>>;
beforeEach(async () => {
  shop = await startShop({ extraNodes: 2, blockIntervalMs: 1000 });
  await shop.chain.produceBlocks(4);
  const GET = withPaywall(shop.price, () => new Response("content"));
  page = await serveWeb((request) => GET(request));
});
afterEach(async () => {
  await page.close();
  await shop.close();
});

type ToldHead = { head_block_number: number; head_block_id: string; time: string };

const lie = (method: string, result: unknown, node = 0) =>
  shop.chain.setFault({ kind: "lie", method, result }, node);
const trueHead = () => shop.chain.call(HEAD, [], 2) as Promise<ToldHead>;
const idOf = (block: number, rest = "f".repeat(32)) => block.toString(16).padStart(8, "0") + rest;

/** Creates a payer with a budget of one payment, over the first `nodes` of three. */
const payerOver = (nodes: number, options: Partial<PayingFetchOptions> = {}) =>
  shop.payer({ nodes: shop.chain.urls.slice(0, nodes), budget: { perDay: "0.050 HBD" }, ...options });

const lies: Array<[string, () => Promise<ToldHead>]> = [
  [
    "a made-up block",
    async () => {
      const head = await trueHead();
      return { ...head, head_block_id: idOf(head.head_block_number) };
    },
  ],
  [
    "a head of an hour ago",
    async () => {
      const head = await trueHead();
      const number = 1;
      const time = new Date(Date.parse(`${head.time}Z`) - 3_600_000).toISOString().slice(0, 19);
      return { head_block_number: number, head_block_id: idOf(number), time };
    },
  ],
  [
    "a time of an hour ago",
    async () => {
      const head = await trueHead();
      return { ...head, time: new Date(Date.parse(`${head.time}Z`) - 3_600_000).toISOString().slice(0, 19) };
    },
  ],
];

describe("a lying first node of the payer", () => {
  describe.each(lies)("reporting %s", (_, tell) => {
    test.each([2, 3])("does not prevent a payment with %d nodes", async (nodes) => {
      await lie(HEAD, await tell());
      const response = await payerOver(nodes)(page.url);
      expect([response.status, await response.text()]).toEqual([200, "content"]);
    });
  });

  test("reporting made-up blocks prevents a payment with one other node, and costs nothing", async () => {
    const { head_block_number: number, time } = await trueHead();
    await lie(HEAD, { head_block_number: number, head_block_id: idOf(number), time });
    await lie(HEADER, { previous: idOf(number - 1) });
    const pay = payerOver(2);
    await expect(pay(page.url)).rejects.toMatchObject({ code: "chain_unavailable" });
    expect(await pay.spent()).toEqual({ lastDay: "0.000 HBD", byHost: {} });
    await shop.chain.clearFaults();
    expect((await pay(page.url)).status).toBe(200);
  });

  test("reporting made-up blocks is outvoted by two other nodes", async () => {
    const { head_block_number: number, time } = await trueHead();
    await lie(HEAD, { head_block_number: number, head_block_id: idOf(number), time });
    await lie(HEADER, { previous: idOf(number - 1) });
    expect((await payerOver(3)(page.url)).status).toBe(200);
  });

  test("counts as one node under two addresses", async () => {
    const head = await trueHead();
    await lie(HEAD, { ...head, head_block_id: idOf(head.head_block_number) });
    const [lying = "", honest = ""] = shop.chain.urls;
    const pay = payerOver(0, { nodes: [lying, `${lying}/rpc`, honest] });
    expect((await pay(page.url)).status).toBe(200);
  });
});

describe("two nodes of a payer", () => {
  test.each(["cut", "hang"] as const)("are enough for a payment when one is faulty (%s)", async (kind) => {
    await shop.chain.setFault({ kind, method: "*" });
    expect((await payerOver(2)(page.url)).status).toBe(200);
  });

  test("are enough for a payment when they are a block apart", async () => {
    const head = await trueHead();
    const before = head.head_block_number - 1;
    const { previous } = (await shop.chain.call(HEADER, [head.head_block_number], 2)) as { previous: string };
    await lie(HEAD, { ...head, head_block_number: before, head_block_id: previous });
    expect((await payerOver(2)(page.url)).status).toBe(200);
  });
});
