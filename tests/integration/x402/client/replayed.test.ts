import { afterEach, beforeEach, expect, test } from "vitest";
import { decodePayment } from "#lib/x402/codec.ts";
import { makeOffer, serveOffers } from "../../../harness/serve-offers.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await startShop();
});
afterEach(() => shop.close());

test("the 402 to a repeat of a used payment is returned, and nothing is paid twice", async () => {
  let tries = 0;
  const server = await serveOffers([makeOffer()], {
    paid: () => {
      tries += 1;
      return tries <= 6
        ? Response.json({ code: "settlement_pending" }, { status: 503, headers: { "retry-after": "0" } })
        : Response.json({ code: "payment_replayed", accepts: [] }, { status: 402 });
    },
  });
  const payingFetch = shop.payer({});
  expect((await payingFetch(server.url)).status).toBe(503);
  const response = await payingFetch(server.url);
  expect([response.status, await response.json()]).toMatchObject([402, { code: "payment_replayed" }]);
  expect(new Set(server.sent.flatMap(({ payment }) => payment ?? [])).size).toBe(1);
  await server.close();
});

test("failed payments of equal requests are all sent again before a new one is signed", async () => {
  const server = await serveOffers([makeOffer()], {
    paid: (_request, count) => new Response(null, { status: count <= 2 ? 500 : 200 }),
  });
  const payingFetch = shop.payer({});
  await Promise.all([payingFetch(server.url), payingFetch(server.url)]);
  for (let again = 0; again < 2; again++) expect((await payingFetch(server.url)).status).toBe(200);
  const [first, second, ...later] = server.sent.flatMap(({ payment }) => payment ?? []);
  expect(first).not.toBe(second);
  expect(new Set(later)).toEqual(new Set([first, second]));
  await server.close();
});

const soon = { "retry-after": "0" };

test("a 429 is retried with the same payment", async () => {
  const server = await serveOffers([makeOffer()], {
    paid: (_request, count) => new Response("done", { status: count < 3 ? 429 : 200, headers: soon }),
  });
  expect(await (await shop.payer({})(server.url)).text()).toBe("done");
  const payments = server.sent.flatMap(({ payment }) => payment ?? []);
  expect([payments.length, new Set(payments).size]).toEqual([3, 1]);
  await server.close();
});

test.each([408, 425, 429])("repeating a request after %i sends the same payment again", async (status) => {
  const server = await serveOffers([makeOffer()], {
    paid: (_request, count) => new Response(null, { status: count < 7 ? status : 200, headers: soon }),
  });
  const payingFetch = shop.payer({});
  while ((await payingFetch(server.url)).status === status);
  expect(new Set(server.sent.flatMap(({ payment }) => payment ?? [])).size).toBe(1);
  await server.close();
});

test("repeating a request with a body of a megabyte after a failure does not pay twice", async () => {
  const server = await serveOffers([makeOffer()], {
    paid: (_request, count) => new Response(null, { status: count === 1 ? 500 : 200 }),
  });
  const payingFetch = shop.payer({});
  const ask = () => payingFetch(server.url, { method: "POST", body: "x".repeat(1_000_000) });
  expect([(await ask()).status, (await ask()).status]).toEqual([500, 200]);
  const payments = server.sent.flatMap(({ payment }) => payment ?? []);
  expect([payments.length, new Set(payments).size]).toEqual([2, 1]);
  await server.close();
});

test.each([
  ["which the chain has included, still counts as spent", "taken", "0.050 HBD"],
  ["which may still land, counts as spent", "open", "0.050 HBD"],
  ["which no block can include any more, goes back to the budget", "over", "0.000 HBD"],
])("a payment reported as used, %s", async (_case, fate, spent) => {
  const server = await serveOffers([makeOffer()], {
    async paid({ payment }) {
      const { signedTransaction } = decodePayment(payment ?? "").payload;
      if (fate === "taken") await shop.chain.call("condenser_api.broadcast_transaction", [signedTransaction]);
      if (fate === "over") await shop.chain.advanceTime(600);
      await shop.chain.produceBlocks(2);
      return Response.json({ code: "payment_replayed", accepts: [] }, { status: 402 });
    },
  });
  const payingFetch = shop.payer({});
  expect((await payingFetch(server.url)).status).toBe(402);
  expect(await payingFetch.spent()).toMatchObject({ lastDay: spent });
  await server.close();
});
