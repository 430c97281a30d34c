import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BudgetStore, PayingFetch } from "#lib/x402/client/index.ts";
import { createMemoryStore } from "#lib/x402/memory-store.ts";
import { collectGarbage } from "../../../harness/collect-garbage.ts";
import { createSellers } from "../../../harness/create-sellers.ts";
import { makeOffer } from "../../../harness/serve-offers.ts";
import { startScriptedNode } from "../../../harness/start-scripted-node.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

let shop: Shop;
const sellers = createSellers();
beforeAll(async () => {
  shop = await startShop({ extraNodes: 1 });
});
afterAll(() => shop.close());

const dearer = () => [makeOffer({ maxAmountRequired: "0.060 HBD" })];

describe("a caller who stops waiting for a refused payment to expire", () => {
  test.each<[string, (pay: PayingFetch, url: string, signal: AbortSignal) => Promise<Response>]>([
    ["with a signal in the options", (pay, url, signal) => pay(url, { signal })],
    ["with a request that has the signal", (pay, url, signal) => pay(new Request(url, { signal }))],
  ])("ends the call even after a garbage collection: %s", async (_name, call) => {
    let paidCount = 0;
    const server = await sellers.serveOffers([makeOffer()], {
      paid: () => {
        paidCount += 1;
        return Response.json({ code: "amount_mismatch", accepts: dearer() }, { status: 402 });
      },
    });
    const controller = new AbortController();
    const answer = call(shop.payer(), server.url, controller.signal);
    await expect.poll(() => paidCount).toBe(1);
    await collectGarbage();
    controller.abort(new Error("enough"));
    await expect(answer).rejects.toThrow("enough");
    expect(paidCount).toBe(1);
  });
});

/** Counts a client's external steps, and calls `stop` at the step `stopAt`. */
function createSteps(stopAt: number, stop: () => void) {
  let count = 0;
  return {
    step() {
      count += 1;
      if (count === stopAt) stop();
    },
    count: () => count,
  };
}

/** Creates a store that counts one step before and one after each call. */
function watchedStore(step: () => void): BudgetStore {
  const kept = createMemoryStore();
  const watch =
    <Given extends unknown[], T>(call: (...given: Given) => Promise<T>) =>
    async (...given: Given) => {
      step();
      const result = await call(...given);
      step();
      return result;
    };
  return {
    get: watch(kept.get),
    setIfAbsent: watch(kept.setIfAbsent),
    replace: watch(kept.replace),
  };
}

/**
 * Buys at a rising price with a client whose external steps are counted. The call is stopped at the step
 * `stopAt`.
 */
async function buyUntil(stopAt: number) {
  const controller = new AbortController();
  const steps = createSteps(stopAt, () => controller.abort(new Error("enough")));
  const { step } = steps;
  let isSelling = false;
  let fatesTold = 0;
  const nodes = await Promise.all(
    shop.chain.urls.slice(0, 2).map(() =>
      sellers.closing(
        startScriptedNode(shop.chain.chainId, async ({ method, params }) => {
          step();
          const result = await shop.chain.call(method, params);
          step();
          if (paid.length > 0 && method.endsWith("get_dynamic_global_properties")) fatesTold += 1;
          return { result };
        }),
      ),
    ),
  );
  const paid: string[] = [];
  const refusal = (accepts: unknown) => {
    const text = JSON.stringify({ x402Version: 1, code: "amount_mismatch", accepts });
    const bytes = new TextEncoder().encode(text);
    const body = new ReadableStream<Uint8Array>(
      {
        pull(stream) {
          step();
          stream.enqueue(bytes);
          stream.close();
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { status: 402, headers: { "content-type": "application/json" } });
  };
  const server = await sellers.serveWeb((request) => {
    step();
    const payment = request.headers.get("x-payment");
    if (payment === null) return refusal([makeOffer()]);
    paid.push(payment);
    return isSelling ? new Response("content") : refusal(dearer());
  });
  const payingFetch = shop.payer({
    nodes: nodes.map(({ url }) => url),
    budget: { store: watchedStore(step) },
    approve: () => {
      step();
      return true;
    },
    fetch: async (input, init) => {
      step();
      const response = await fetch(input, init);
      step();
      return response;
    },
  });
  const { signal } = controller;
  const stopped = payingFetch(server.url, { signal }).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
  if (stopAt === Number.POSITIVE_INFINITY) {
    await expect.poll(() => fatesTold).toBeGreaterThanOrEqual(2);
    const count = steps.count();
    controller.abort(new Error("enough"));
    return { count, outcome: await stopped, next: null, paid };
  }
  const outcome = await stopped;
  isSelling = true;
  const next = await (await payingFetch(server.url)).text();
  return { count: steps.count(), outcome, next, paid };
}

const SHARES = 4;

test.each([1, 2, 3, 4])(
  "a call stopped at any step rejects, and repeating its request pays once: part %i of 4",
  async (share) => {
    const { count, outcome, paid } = await buyUntil(Number.POSITIVE_INFINITY);
    expect([outcome, paid.length]).toEqual(["enough", 1]);
    for (let stopAt = share; stopAt <= count; stopAt += SHARES) {
      const stopped = await buyUntil(stopAt);
      expect({ stopAt, ...stopped, paid: new Set(stopped.paid).size, count: 0 }).toEqual({
        ...{ stopAt, outcome: "enough", next: "content", paid: 1, count: 0 },
      });
    }
  },
);
