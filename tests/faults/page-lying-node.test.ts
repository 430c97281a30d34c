import type { Browser } from "playwright";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withPaywall } from "../../lib/x402/next.ts";
import { openPaymentPage, payOn } from "../harness/open-payment-page.ts";
import { serveWeb } from "../harness/serve-web.ts";
import { startBrowser } from "../harness/start-browser.ts";
import { type Shop, startShop } from "../harness/start-shop.ts";

const HEAD = "condenser_api.get_dynamic_global_properties";
const HEADER = "condenser_api.get_block_header";

let browser: Browser;
let shop: Shop;
const servers: Array<Awaited<ReturnType<typeof serveWeb>>> = [];
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  shop = await startShop({ extraNodes: 2, blockIntervalMs: 1000 });
  await shop.chain.produceBlocks(4);
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  await shop.close();
});

type ToldHead = { head_block_number: number; head_block_id: string; time: string };

const lie = (method: string, result: unknown) => shop.chain.setFault({ kind: "lie", method, result });
const trueHead = () => shop.chain.call(HEAD, [], 2) as Promise<ToldHead>;
const madeUp = (block: number) => block.toString(16).padStart(8, "0") + "f".repeat(32);
const anHourBefore = ({ time }: ToldHead) =>
  new Date(Date.parse(`${time}Z`) - 3_600_000).toISOString().slice(0, 19);

/** Opens the page of a paywall that names these nodes, and presses its button. */
async function pay(nodes: readonly string[]) {
  const GET = withPaywall({ ...shop.price, nodes, onFault: () => {} }, () => new Response("content"));
  const server = await serveWeb((request) => GET(request));
  servers.push(server);
  const opened = await openPaymentPage({ browser, shop }, server.url, "signs");
  await payOn(opened.page);
  const isPaid = () => opened.page.getByText("content", { exact: true }).isVisible();
  const says = (text: string) => opened.page.getByText(text).isVisible();
  return { ...opened, isPaid, says };
}

const firstNodes = (count: number) => shop.chain.urls.slice(0, count);

const lies: Array<[string, (head: ToldHead) => Partial<ToldHead>]> = [
  ["a made-up block", ({ head_block_number }) => ({ head_block_id: madeUp(head_block_number) })],
  ["a time of an hour ago", (head) => ({ time: anHourBefore(head) })],
];

describe("a lying first node of the payment page", () => {
  describe.each(lies)("reporting %s", (_, change) => {
    test.each([2, 3])("does not prevent a payment with %d nodes", async (count) => {
      const head = await trueHead();
      await lie(HEAD, { ...head, ...change(head) });
      const { page, isPaid } = await pay(firstNodes(count));
      await expect.poll(isPaid).toBe(true);
      await page.close();
    });
  });

  test("reporting made-up blocks is outvoted by two other nodes, and prevents signing if there is one other", async () => {
    const head = await trueHead();
    await lie(HEAD, { ...head, head_block_id: madeUp(head.head_block_number) });
    await lie(HEADER, { previous: madeUp(head.head_block_number - 1) });
    const two = await pay(firstNodes(2));
    await expect.poll(() => two.says("contradict each other")).toBe(true);
    expect(two.signed).toEqual([]);
    const three = await pay(firstNodes(3));
    await expect.poll(three.isPaid).toBe(true);
    await Promise.all([two.page.close(), three.page.close()]);
  });

  test("counts as one node under two addresses", async () => {
    const head = await trueHead();
    await lie(HEAD, { ...head, head_block_id: madeUp(head.head_block_number) });
    const [lying = "", honest = ""] = shop.chain.urls;
    const { page, isPaid } = await pay([lying, `${lying}/rpc`, honest]);
    await expect.poll(isPaid).toBe(true);
    await page.close();
  });
});

test.each(["cut", "hang"] as const)(
  "the payment page pays through the other node when the first one is faulty (%s)",
  async (kind) => {
    await shop.chain.setFault({ kind, method: "*" });
    const { page, isPaid } = await pay(firstNodes(2));
    await expect.poll(isPaid).toBe(true);
    await page.close();
  },
);
