import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { nodePaywall } from "#lib/x402/node.ts";
import { askPaid, receiptOf } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";

const { shop, listen } = await openShop();

type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  payment: { payer: string; txId: string },
) => unknown;

async function serve(handler: Handler, faults: unknown[] = []): Promise<string> {
  const url = await listen(nodePaywall({ ...shop.price, onFault: (error) => faults.push(error) }, handler));
  return `${url}/x`;
}

describe("nodePaywall", () => {
  test("passes the payer to the handler, and adds the receipt", async () => {
    const url = await serve((_request, response, payment) => response.end(JSON.stringify(payment)));
    const response = await askPaid(url, await shop.payFor(url));
    expect(await response.clone().json()).toEqual({ payer: "alice", txId: receiptOf(response).txId });
    expect(response.headers.get("cache-control")).toBe("private, no-store");
  });

  test("does not run the handler without a payment, or twice for one", async () => {
    let runs = 0;
    const url = await serve((_request, response) => response.end(`run ${++runs}`));
    const payment = await shop.payFor(url);
    expect(await (await askPaid(url, payment)).text()).toBe("run 1");
    expect(await (await askPaid(url, payment)).json()).toMatchObject({ code: "payment_replayed" });
    expect(runs).toBe(1);
  });

  test("returns 500 with the receipt for a rejecting handler, and the same payment buys the content later", async () => {
    const faults: unknown[] = [];
    const broken = new Error("broken");
    let isBroken = true;
    const url = await serve(async (_request, response) => {
      if (isBroken) throw broken;
      response.end("content");
    }, faults);
    const payment = await shop.payFor(url);
    const first = await askPaid(url, payment);
    expect([first.status, receiptOf(first).success]).toEqual([500, true]);
    expect(await first.json()).toMatchObject({ code: "internal" });
    expect(faults).toEqual([broken]);
    isBroken = false;
    expect(await (await askPaid(url, payment)).text()).toBe("content");
  });

  test("cuts an answer whose handler failed midway", async () => {
    const url = await serve((_request, response) => {
      response.write("first half");
      throw new Error("broken");
    });
    const asked = askPaid(url, await shop.payFor(url)).then((response) => response.text());
    await expect(asked).rejects.toThrow();
  });

  test("reports a price that can't be computed, and returns 500", async () => {
    const faults: unknown[] = [];
    const amount = () => Promise.reject(new Error("no price list"));
    const onFault = (error: unknown) => void faults.push(error);
    const url = await listen(nodePaywall({ ...shop.price, amount, onFault }, () => {}));
    expect((await fetch(url)).status).toBe(500);
    expect(faults).toEqual([new Error("no price list")]);
  });
});
