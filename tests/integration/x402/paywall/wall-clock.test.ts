import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { withPaywall } from "#lib/x402/next.ts";
import { askPaid } from "../../../harness/ask-paid.ts";
import { serveWeb, type WebServer } from "../../../harness/serve-web.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const realNow = Date.now;

let shop: Shop;
let server: WebServer;
beforeAll(async () => {
  shop = await startShop({ now: realNow });
  const sell = withPaywall(shop.price, () => new Response("content"));
  server = await serveWeb((request) => sell(request));
});
afterEach(() => void vi.restoreAllMocks());
afterAll(async () => {
  await server.close();
  await shop.close();
});

/** Steps the wall clock of this process, as setting the machine's time does. */
function stepClock(ms: number) {
  vi.spyOn(Date, "now").mockImplementation(() => realNow() + ms);
}

describe("a seller with the machine's clock stepped", () => {
  test.each([
    ["back by ten minutes", -10 * MINUTE_MS],
    ["back by eight days", -8 * DAY_MS],
    ["forward by eight days", 8 * DAY_MS],
  ])("%s makes payable offers", async (_, stepMs) => {
    stepClock(stepMs);
    const payment = await shop.payFor(server.url);
    expect((await askPaid(server.url, payment)).status).toBe(200);
  });

  test.each([
    ["back by ten minutes", -10 * MINUTE_MS],
    ["forward by eight days", 8 * DAY_MS],
  ])("%s accepts payments for earlier offers", async (_, stepMs) => {
    const payment = await shop.payFor(server.url);
    stepClock(stepMs);
    expect((await askPaid(server.url, payment)).status).toBe(200);
  });
});
