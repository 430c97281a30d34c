import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import type { BudgetStore, PayingFetchOptions } from "#lib/x402/client/index.ts";
import { decodePayment } from "#lib/x402/codec.ts";
import { createMemoryStore } from "#lib/x402/memory-store.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { createSellers } from "../../../harness/create-sellers.ts";
import { makeOffer, receipt, type SentRequest } from "../../../harness/serve-offers.ts";
import { startBuyerProcess } from "../../../harness/start-paying-process.ts";
import { startScriptedNode } from "../../../harness/start-scripted-node.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

let shop: Shop;
const sellers = createSellers();
beforeEach(async () => {
  shop = await startShop({ extraNodes: 2 });
});
afterEach(() => shop.close());

const paymentsOf = ({ sent }: { sent: readonly SentRequest[] }) =>
  sent.flatMap(({ payment }) => (payment === null ? [] : [payment]));
const refusal = (code: string) => Response.json({ code, accepts: [makeOffer()] }, { status: 402 });

describe("a client whose first payment for a request may still land", () => {
  test("signs no second payment after a 500 and a false refusal", async () => {
    const server = await sellers.serveOffers([makeOffer()], {
      paid: (_request, count) =>
        [new Response(null, { status: 500 }), refusal("broadcast_rejected")][count - 1] ??
        new Response("content"),
    });
    const payingFetch = shop.payer();
    expect((await payingFetch(server.url)).status).toBe(500);
    expect(await (await payingFetch(server.url)).text()).toBe("content");
    const payments = paymentsOf(server);
    expect([payments.length, new Set(payments).size]).toEqual([3, 1]);
  });

  test("signs no second payment when the price rises a little each time", async () => {
    let price = 50;
    const server = await sellers.serveWeb((request) => {
      price += 1;
      const accepts = [makeOffer({ maxAmountRequired: `0.0${price} HBD` })];
      const payment = request.headers.get("x-payment");
      if (payment === null) return Response.json({ accepts }, { status: 402 });
      payments.push(payment);
      return new Response(null, { status: 500 });
    });
    const payments: string[] = [];
    const payingFetch = shop.payer();
    for (let times = 0; times < 5; times++) expect((await payingFetch(server.url)).status).toBe(500);
    expect([payments.length, new Set(payments).size]).toEqual([5, 1]);
  });

  test("signs no second payment when the first answer was a refusal", async () => {
    const server = await sellers.serveOffers([makeOffer()], {
      paid: (_request, count) => (count === 1 ? refusal("broadcast_rejected") : new Response("content")),
    });
    const payingFetch = shop.payer();
    expect((await payingFetch(server.url)).status).toBe(402);
    expect(await (await payingFetch(server.url)).text()).toBe("content");
    expect(new Set(paymentsOf(server)).size).toBe(1);
  });

  test("signs no second payment when the first answer was a refusal that broke off", async () => {
    let breakOff = () => {};
    const half = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"code":'));
        breakOff = () => controller.error(new Error("cut"));
      },
    });
    const server = await sellers.serveOffers([makeOffer()], {
      paid: (_request, count) =>
        count === 1 ? new Response(half, { status: 402 }) : new Response("content"),
    });
    const payingFetch = shop.payer({
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (paymentsOf(server).length === 1) breakOff();
        return response;
      },
    });
    await expect(payingFetch(server.url)).rejects.toThrow();
    expect(await (await payingFetch(server.url)).text()).toBe("content");
    expect(new Set(paymentsOf(server)).size).toBe(1);
  });

  test("signs no second payment when one node of three reports that the first can't land", async () => {
    const liar = await startScriptedNode(shop.chain.chainId, async ({ method, params }) =>
      method.endsWith("find_transaction")
        ? { result: { status: "expired_irreversible" } }
        : { result: await shop.chain.call(method, params) },
    );
    const server = await sellers.serveOffers([makeOffer()], {
      paid: (_request, count) => (count < 3 ? refusal("broadcast_rejected") : new Response("content")),
    });
    const payingFetch = shop.payer({ nodes: [liar.url, ...shop.chain.urls.slice(1)] });
    await payingFetch(server.url);
    expect(await (await payingFetch(server.url)).text()).toBe("content");
    expect(new Set(paymentsOf(server)).size).toBe(1);
    await liar.close();
  });
});

test("a refused payment that has expired on the chain is replaced by a new one", async () => {
  const server = await sellers.serveOffers([makeOffer()], {
    paid: ({ payment }) =>
      payment === paymentsOf(server)[0] ? refusal("transaction_expired") : new Response("content"),
  });
  const payingFetch = shop.payer();
  expect((await payingFetch(server.url)).status).toBe(402);
  await shop.chain.advanceTime(150);
  expect(await (await payingFetch(server.url)).text()).toBe("content");
  const [first, ...later] = paymentsOf(server);
  expect([later.at(0) === first, later.at(-1) === first]).toEqual([true, false]);
  expect(new Set(later).size).toBe(2);
});

describe("the 101st payment of one request", () => {
  test("is not signed, and all earlier ones complete", async () => {
    let answerAll = () => {};
    const answered = new Promise<void>((resolve) => {
      answerAll = resolve;
    });
    const server = await sellers.serveOffers([makeOffer()], {
      async paid() {
        await answered;
        return new Response("content", { headers: receipt });
      },
    });
    const payingFetch = shop.payer({ maxPayment: "0.050 HBD" });
    const asking: Array<Promise<Response>> = [];
    for (let count = 1; count <= 100; count++) {
      asking.push(payingFetch(server.url));
      await expect.poll(() => paymentsOf(server).length, { interval: 5 }).toBe(count);
    }
    await expect(payingFetch(server.url)).rejects.toMatchObject({ code: "too_many_under_way" });
    expect(paymentsOf(server).length).toBe(100);
    expect(await payingFetch.spent()).toMatchObject({ lastDay: "5.000 HBD" });
    answerAll();
    const texts = await Promise.all(asking.map(async (answer) => (await answer).text()));
    expect(new Set(texts)).toEqual(new Set(["content"]));
    expect(await (await payingFetch(server.url)).text()).toBe("content");
    expect(new Set(paymentsOf(server)).size).toBe(101);
  });

  test("is not stored if other payments fill the list at the same time, and costs no budget", async () => {
    const memory = createMemoryStore();
    const key = "x402:underway:alice:";
    let entries: unknown[] = [];
    const full: BudgetStore = {
      ...memory,
      // A hundred other payments appear between the check for room and the write.
      async setIfAbsent(name, value, ttlSeconds) {
        if (!name.startsWith(key) || entries.length > 0) return memory.setIfAbsent(name, value, ttlSeconds);
        const [entry] = JSON.parse(value) as object[];
        entries = Array.from({ length: 100 }, (_, index) => ({
          ...entry,
          id: `other-${index}`,
          owner: "other",
        }));
        await memory.setIfAbsent(name, JSON.stringify(entries), ttlSeconds);
        return false;
      },
    };
    const server = await sellers.serveOffers([makeOffer()]);
    const payingFetch = shop.payer({ budget: { store: full } });
    await expect(payingFetch(server.url)).rejects.toMatchObject({ code: "too_many_under_way" });
    expect(paymentsOf(server)).toEqual([]);
    expect((await payingFetch.spent()).lastDay).toBe("0.000 HBD");
  });
});

describe("a price whose first payment is refused", () => {
  const sellAt = (price: (paidCount: number) => string) => {
    const payments: string[] = [];
    const accepts = () => [makeOffer({ maxAmountRequired: price(payments.length) })];
    const served = sellers.serveWeb((request) => {
      const payment = request.headers.get("x-payment");
      if (payment === null) return Response.json({ accepts: accepts() }, { status: 402 });
      payments.push(payment);
      const { payload } = decodePayment(payment);
      const [[, { amount }]] = payload.signedTransaction.operations as [[string, { amount: string }]];
      return amount === price(payments.length)
        ? new Response("content")
        : Response.json({ code: "amount_mismatch", accepts: accepts() }, { status: 402 });
    });
    return { served, payments };
  };
  const rise = (paidCount: number) => (paidCount === 0 ? "0.050 HBD" : "0.060 HBD");

  test("is paid again within the call if it rose and the first payment can't land, and counts once", async () => {
    const { served, payments } = sellAt(rise);
    const { url, host } = { ...(await served), host: new URL((await served).url).host };
    const approved: string[] = [];
    const payingFetch = shop.payer({
      budget: { perDay: "0.100 HBD", perHost: "0.100 HBD" },
      approve: ({ amount }) => approved.push(amount) > 0,
    });
    const answer = payingFetch(url);
    await expect.poll(() => payments.length).toBe(1);
    expect(await payingFetch.spent()).toEqual({ lastDay: "0.050 HBD", byHost: { [host]: "0.050 HBD" } });
    await shop.chain.advanceTime(150);
    expect(await (await answer).text()).toBe("content");
    expect([payments.length, approved]).toEqual([2, ["0.050 HBD", "0.060 HBD"]]);
    expect(await payingFetch.spent()).toEqual({ lastDay: "0.060 HBD", byHost: { [host]: "0.060 HBD" } });
  });

  test("is not paid again while the first payment may land, and the caller can stop waiting", async () => {
    const { served, payments } = sellAt(rise);
    const { url } = await served;
    const controller = new AbortController();
    const payingFetch = shop.payer();
    const answer = payingFetch(url, { signal: controller.signal });
    await expect.poll(() => payments.length).toBe(1);
    controller.abort(new Error("enough"));
    await expect(answer).rejects.toThrow("enough");
    expect(payments).toHaveLength(1);
    expect((await payingFetch.spent()).lastDay).toBe("0.050 HBD");
  });

  test("ends in the seller's refusal if it keeps changing or exceeds the limit", async () => {
    const dear = sellAt((paidCount) => (paidCount === 0 ? "0.050 HBD" : "2.000 HBD"));
    expect((await shop.payer()((await dear.served).url)).status).toBe(402);
    expect(dear.payments).toHaveLength(1);
    const rising = sellAt((paidCount) => `0.0${50 + paidCount} HBD`);
    const answer = shop.payer()((await rising.served).url);
    await expect.poll(() => rising.payments.length).toBe(1);
    await shop.chain.advanceTime(150);
    expect((await answer).status).toBe(402);
    expect(rising.payments).toHaveLength(2);
  });

  test("is paid again from the same budget by the next client of the store, and counts once", async () => {
    let isRefusing = true;
    const server = await sellers.serveOffers([makeOffer()], {
      paid: () => (isRefusing ? refusal("broadcast_rejected") : new Response("content")),
    });
    const store = createMemoryStore();
    const budget = { store, perDay: "0.050 HBD", perHost: "0.050 HBD" };
    expect((await shop.payer({ budget })(server.url)).status).toBe(402);
    await shop.chain.advanceTime(150);
    isRefusing = false;
    const first = paymentsOf(server)[0];
    const next = shop.payer({
      budget,
      fetch: async (input, init) => {
        const isFirst = new Headers(init?.headers).get("x-payment") === first;
        return isFirst ? refusal("transaction_expired") : fetch(input, init);
      },
    });
    expect(await (await next(server.url)).text()).toBe("content");
    expect(await next.spent()).toEqual({ lastDay: "0.050 HBD", byHost: { [server.host]: "0.050 HBD" } });
  });
});

describe("a client that starts with a previous client's store", () => {
  const sell = async () => {
    let isBroken = true;
    const GET = withPaywall({ ...shop.price, onFault: () => {} }, () =>
      isBroken ? new Response(null, { status: 500 }) : new Response("content"),
    );
    const { url } = await sellers.serveWeb((request) => GET(request));
    const mend = () => {
      isBroken = false;
    };
    return { url, mend };
  };
  const start = (store: BudgetStore, account?: string) => shop.payer({ budget: { store } }, account);

  test("sends that client's payment again for the same request, and pays anew after its delivery", async () => {
    const { url, mend } = await sell();
    const store = createMemoryStore();
    const before = await shop.balances();
    expect((await start(store)(url)).status).toBe(500);
    mend();
    expect(await (await start(store)(url)).text()).toBe("content");
    expect((await shop.balances()).alice).toBe(before.alice - 50);
    expect(await (await start(store)(url)).text()).toBe("content");
    expect((await shop.balances()).alice).toBe(before.alice - 100);
  });

  test("sends that client's payment again even if its last heartbeat was late", async () => {
    const kept = createMemoryStore();
    let isDead = false;
    let sendLate = () => {};
    const never = new Promise<never>(() => {});
    const isBeat = (value: string) => /"beat":[1-9]/.test(value);
    const dying: BudgetStore = {
      ...kept,
      get: (key) => (isDead ? never : kept.get(key)),
      replace: (key, expected, value, ttl) => {
        if (!isBeat(value)) return kept.replace(key, expected, value, ttl);
        isDead = true;
        sendLate = () => void kept.replace(key, expected, value, ttl);
        return never;
      },
    };
    const next: BudgetStore = {
      ...kept,
      async get(key) {
        const found = await kept.get(key);
        if (found?.includes('"beat"')) sendLate();
        return found;
      },
    };
    const controller = new AbortController();
    const server = await sellers.serveOffers([makeOffer()], {
      paid: (_request, count) => (count === 1 ? never : new Response("content")),
    });
    start(dying)(server.url, { signal: controller.signal }).catch(() => {
      // The client's process has died.
    });
    await expect.poll(() => isDead).toBe(true);
    expect(await (await start(next)(server.url)).text()).toBe("content");
    expect(new Set(paymentsOf(server)).size).toBe(1);
    controller.abort();
  });

  test("does not send another account's payment", async () => {
    const { url, mend } = await sell();
    const store = createMemoryStore();
    await start(store)(url);
    mend();
    const before = await shop.balances();
    expect((await start(store, "bob")(url)).status).toBe(200);
    expect((await shop.balances()).bob).toBe(before.bob - 50);
  });

  test("stores neither the URL's query nor the key, and empties its list once the answer is read", async () => {
    const { url, mend } = await sell();
    const kept = createMemoryStore();
    const entries = new Map<string, string>();
    const store: BudgetStore = {
      ...kept,
      setIfAbsent: (key, value, ttl) => {
        entries.set(key, value);
        return kept.setIfAbsent(key, value, ttl);
      },
      replace: (key, expected, value, ttl) => {
        entries.set(key, value);
        return kept.replace(key, expected, value, ttl);
      },
    };
    const payingFetch = start(store);
    await payingFetch(`${url}/a?token=secret`);
    const written = JSON.stringify([...entries]);
    expect([written.includes("token=secret"), written.includes(shop.purse().activeKey)]).toEqual([
      false,
      false,
    ]);
    mend();
    await (await payingFetch(`${url}/a?token=secret`)).text();
    const underWay = [...entries].filter(([key]) => key.startsWith("x402:underway:"));
    expect(underWay.map(([, value]) => value)).toEqual(["[]"]);
  });
});

describe("the body of a paid answer", () => {
  let breakOff = () => {};
  const half = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("half"));
        breakOff = () => controller.error(new Error("cut"));
      },
    });
  const serve = (first: () => Response) =>
    sellers.serveOffers([makeOffer()], {
      paid: (_request, count) => (count === 1 ? first() : new Response("content")),
    });

  test("leads to the same payment for the next request when it breaks off", async () => {
    const server = await serve(() => new Response(half()));
    const payingFetch = shop.payer();
    const response = await payingFetch(server.url);
    breakOff();
    await expect(response.text()).rejects.toThrow();
    expect(await (await payingFetch(server.url)).text()).toBe("content");
    expect(new Set(paymentsOf(server)).size).toBe(1);
  });

  test("ends when the caller aborts, even if the runtime leaves the read pending", async () => {
    const server = await serve(() => new Response("content", { headers: receipt }));
    const silent = new ReadableStream<Uint8Array>();
    const payingFetch = shop.payer({
      fetch: async (input, init) => {
        const answer = await fetch(input, init);
        return answer.ok && !silent.locked ? new Response(silent, answer) : answer;
      },
    });
    const leaving = new AbortController();
    const text = payingFetch(server.url, { signal: leaving.signal }).then((answer) => answer.text());
    await expect.poll(() => silent.locked).toBe(true);
    leaving.abort(new Error("enough"));
    await expect(text).rejects.toThrow("enough");
    expect(await (await payingFetch(server.url)).text()).toBe("content");
    expect(new Set(paymentsOf(server)).size).toBe(1);
  });

  test.each<[string, (response: Response) => Promise<unknown> | undefined]>([
    ["was read", (response) => response.text()],
    ["was abandoned by the caller", (response) => response.body?.cancel()],
  ])("leads to a new payment for the next request after it %s", async (_name, use) => {
    const server = await serve(() => new Response("content", { headers: receipt }));
    const payingFetch = shop.payer();
    await use(await payingFetch(server.url));
    await (await payingFetch(server.url)).text();
    expect(new Set(paymentsOf(server)).size).toBe(2);
  });

  test("comes in a response that has the request's URL", async () => {
    const server = await serve(() => new Response("content"));
    const { url, redirected, type } = await shop.payer()(`${server.url}/a`);
    expect([url, redirected, type]).toEqual([`${server.url}/a`, false, "basic"]);
  });
});

describe("an answer without a receipt, possibly from an intermediary,", () => {
  const login = "<html>please sign in to this network</html>";

  test.each<[string, (store: BudgetStore) => Partial<PayingFetchOptions>]>([
    ["by the same client", () => ({})],
    ["by the next client of the store", (store) => ({ budget: { store } })],
  ])("leaves the payment valid, so that the same request is not paid twice %s", async (_name, options) => {
    const store = createMemoryStore();
    const GET = withPaywall(shop.price, () => new Response("content"));
    const { url } = await sellers.serveWeb((request) => GET(request));
    let isAway = true;
    const atHotel = shop.payer({
      ...options(store),
      fetch: async (input, init) =>
        isAway && new Headers(init?.headers).has("x-payment") ? new Response(login) : fetch(input, init),
    });
    const before = await shop.balances();
    expect(await (await atHotel(url)).text()).toBe(login);
    isAway = false;
    const next = options(store).budget ? shop.payer(options(store)) : atHotel;
    expect(await (await next(url)).text()).toBe("content");
    const after = await shop.balances();
    expect([before.alice - after.alice, after.shop - before.shop]).toEqual([50, 50]);
    expect((await next.spent()).lastDay).toBe("0.050 HBD");
  });

  test("leaves a charged payment valid, so that it buys the content after a failure", async () => {
    let isBroken = true;
    const GET = withPaywall({ ...shop.price, onFault: () => {} }, () =>
      isBroken ? new Response(null, { status: 500 }) : new Response("content"),
    );
    const { url } = await sellers.serveWeb((request) => GET(request));
    let paidCount = 0;
    const payingFetch = shop.payer({
      fetch: async (input, init) => {
        if (!new Headers(init?.headers).has("x-payment")) return fetch(input, init);
        paidCount += 1;
        return paidCount === 2 ? new Response(login) : fetch(input, init);
      },
    });
    const before = await shop.balances();
    expect((await payingFetch(url)).status).toBe(500);
    expect(await (await payingFetch(url)).text()).toBe(login);
    isBroken = false;
    expect(await (await payingFetch(url)).text()).toBe("content");
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test.each(["payment_replayed", "payment_required"])(
    "counts as the shop's content once its payment was charged and is refused with %s",
    async (code) => {
      const door = withPaywall(shop.price, () => new Response("content"));
      const used = new Set<string>();
      const { url } = await sellers.serveWeb(async (request) => {
        const payment = request.headers.get("x-payment") ?? "";
        const answer = await door(request);
        if (answer.status === 402 && !used.has(payment)) return answer;
        if (used.has(payment))
          return Response.json({ ...((await answer.json()) as object), code }, { status: 402 });
        used.add(payment);
        return new Response(await answer.text());
      });
      const payingFetch = shop.payer();
      const before = await shop.balances();
      for (let times = 0; times < 2; times++) expect(await (await payingFetch(url)).text()).toBe("content");
      expect((await shop.balances()).alice).toBe(before.alice - 100);
    },
  );

  test("does not count as the content when the payment is refused for another reason", async () => {
    const door = withPaywall(shop.price, () => new Response("content"));
    let answered = 0;
    const { url } = await sellers.serveWeb(async (request) => {
      const answer = await door(request);
      if (!request.headers.has("x-payment")) return answer;
      answered += 1;
      await answer.text();
      return answered === 1
        ? new Response(login)
        : Response.json({ accepts: [], code: "nonce_mismatch" }, { status: 402 });
    });
    const payingFetch = shop.payer();
    const before = await shop.balances();
    expect(await (await payingFetch(url)).text()).toBe(login);
    expect((await payingFetch(url)).status).toBe(402);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test.each(["e30=", "no base64", Buffer.from('{"success":false}').toString("base64")])(
    "includes one whose receipt is the unusable %j",
    async (text) => {
      const server = await sellers.serveOffers([makeOffer()], {
        paid: () => new Response("content", { headers: { "x-payment-response": text } }),
      });
      const payingFetch = shop.payer();
      for (let times = 0; times < 2; times++) await (await payingFetch(server.url)).text();
      expect(new Set(paymentsOf(server)).size).toBe(1);
    },
  );
});

describe("a buyer's process", () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "buyer-"));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  test.each([
    ["killed before an answer arrives", false],
    ["killed before it has read the answer", true],
  ])("%s leaves the content to the next process for the same payment", async (_name, answers) => {
    let isFirst = true;
    let reached = 0;
    const GET = withPaywall({ ...shop.price, onFault: () => {} }, (request) => {
      reached += 1;
      if (!isFirst) return new Response("content");
      if (!answers)
        return new Promise<Response>((resolve) =>
          request.signal.addEventListener("abort", () => resolve(new Response("too late"))),
        );
      const begun = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode("half")),
      });
      return new Response(begun);
    });
    const { url } = await sellers.serveWeb((request) => GET(request));
    const before = await shop.balances();
    const { account, activeKey, nodes, chainId } = shop.purse();
    const given = { url, dataDir, account, activeKey, nodes, chainId, reads: true };
    const killed = startBuyerProcess(given);
    const words = answers ? [{ status: 200 }] : [];
    await expect.poll(() => [reached, killed.words]).toEqual([1, words]);
    await killed.kill();
    isFirst = false;
    const next = startBuyerProcess(given);
    await expect
      .poll(() => next.words, { message: next.output() })
      .toEqual([{ status: 200 }, { text: "content" }]);
    await next.kill();
    const after = await shop.balances();
    expect([before.alice - after.alice, after.shop - before.shop]).toEqual([50, 50]);
  });

  test("does not take over the payment of a living process", async () => {
    let arrivals = 0;
    const server = await sellers.serveOffers([makeOffer()], {
      async paid() {
        arrivals += 1;
        await expect.poll(() => arrivals).toBe(2);
        return new Response("content");
      },
    });
    const stores = [1, 2].map(() => createSqliteStore({ dataDir }));
    const answers = await Promise.all(
      stores.map(async (store) => (await shop.payer({ budget: { store } })(server.url)).text()),
    );
    expect(answers).toEqual(["content", "content"]);
    expect(new Set(paymentsOf(server)).size).toBe(2);
    await Promise.all(stores.map((store) => store.close()));
  });
});
