import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createKeySigner,
  createPayingFetch,
  parseRequirements,
  sendPayment,
  signPayment,
} from "#lib/x402/client/index.ts";
import { HEADER_PAYMENT } from "#lib/x402/header.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { serveWeb, type WebServer } from "../../../harness/serve-web.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

let shop: Shop;
let server: WebServer;
let isBroken = false;
beforeAll(async () => {
  shop = await startShop();
  const paid = withPaywall(shop.price, async (request, { payer }) =>
    isBroken ? new Response("broken", { status: 500 }) : new Response(`${payer}: ${await request.text()}`),
  );
  server = await serveWeb((request) => paid(request));
});
afterAll(async () => {
  await server.close();
  await shop.close();
});

/** Signs a payment for the server's offer. */
async function sign(): Promise<string> {
  const { nodes, chainId, ...purse } = shop.purse();
  const requirements = await parseRequirements(await fetch(server.url, { method: "POST" }), { chainId });
  return signPayment({ ...purse, nodes, chainId, requirements });
}

describe("sendPayment", () => {
  test("causes one charge for a payment that is sent again after a 500", async () => {
    const before = await shop.balances();
    const payment = await sign();
    isBroken = true;
    expect((await sendPayment(server.url, { method: "POST", body: "one", payment })).status).toBe(500);
    isBroken = false;
    const response = await sendPayment(server.url, { method: "POST", body: "two", payment });
    expect([response.status, await response.text()]).toEqual([200, "alice: two"]);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("tries again with the same payment while the server is busy", async () => {
    const seen: Array<string | null> = [];
    const busyOnce: typeof fetch = async (_input, init) => {
      seen.push(new Headers(init?.headers).get(HEADER_PAYMENT));
      return seen.length === 1
        ? new Response(null, { status: 503, headers: { "retry-after": "0" } })
        : new Response("content");
    };
    const response = await sendPayment("http://shop.example/", { payment: "signed", fetch: busyOnce });
    expect([await response.text(), seen]).toEqual(["content", ["signed", "signed"]]);
  });

  test.each([undefined, "", 5])("refuses %j in place of a payment", async (payment) => {
    await expect(sendPayment(server.url, { payment: payment as string })).rejects.toThrow(TypeError);
  });
});

describe("createKeySigner", () => {
  test("signs for a client that inspects the transaction first", async () => {
    const { activeKey, account, nodes, chainId } = shop.purse();
    const signWithKey = createKeySigner(activeKey, { chainId });
    const memos: string[] = [];
    const pay = createPayingFetch({
      ...{ account, nodes, chainId },
      signTransaction: (transfer, payer) => {
        memos.push(transfer.operations[0][1].memo);
        return signWithKey(transfer, payer);
      },
    });
    const response = await pay(server.url, { method: "POST", body: "three" });
    expect([await response.text(), memos]).toEqual(["alice: three", [expect.stringMatching(/^x402:/)]]);
  });

  test.each([undefined, "", "5J"])("throws a TypeError for the key %j", (key) => {
    expect(() => createKeySigner(key)).toThrow(TypeError);
  });
});
