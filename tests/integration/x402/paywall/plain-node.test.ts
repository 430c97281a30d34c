import { afterAll, beforeAll, expect, test } from "vitest";
import { signPayment } from "#lib/x402/client/index.ts";
import { paywall } from "#lib/x402/express.ts";
import { askPaid, offerOf } from "../../../harness/ask-paid.ts";
import { serveNode } from "../../../harness/serve-web.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());

test("paywall sells content in a plain Node server", async () => {
  const guard = paywall(shop.price);
  const server = await serveNode((request, response) =>
    guard(request, response, () => response.end("content")),
  );
  const url = `${server.url}/x`;
  const requirements = await offerOf(await fetch(url));
  const response = await askPaid(url, await signPayment({ ...shop.purse(), requirements }));
  expect(await response.text()).toBe("content");
  await server.close();
});
