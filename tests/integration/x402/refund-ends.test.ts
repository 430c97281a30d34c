import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHiveClient, type HiveClient } from "#lib/hive/client.ts";
import { createRedisStore } from "#lib/store/redis-store.ts";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import type { Store } from "#lib/store/store.ts";
import { decodePayment } from "#lib/x402/codec.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { createPacedRefunds, type Refunds } from "#lib/x402/refunds/paced-refunds.ts";
import type { Facilitator, PaymentRequired } from "#lib/x402/types.ts";
import { askPaid } from "../../harness/ask-paid.ts";
import { echo, type Handler, openShop } from "../../harness/open-shop.ts";
import { presentClaim, sendTransfers, transferOfferOf } from "../../harness/send-transfer.ts";
import { startFacilitator } from "../../harness/start-facilitator.ts";
import { startRedis } from "../../harness/start-redis.ts";
import { wifOf } from "../../harness/start-shop.ts";

const { shop, sell } = await openShop();
const secret = "s".repeat(32);

let store: Store;
const ends: Array<() => Promise<unknown>> = [];
beforeEach(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "refund-ends-"));
  store = createSqliteStore({ dataDir });
  ends.push(
    () => rm(dataDir, { recursive: true, force: true }),
    () => store.close(),
  );
  await shop.chain.setAccount({ name: "shop", hbdMils: 10_000, milliHive: 10_000 });
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const clientOf = () => {
  const client = createHiveClient({ nodes: shop.chain.urls, chainId: shop.chain.chainId });
  ends.push(() => client.close());
  return client;
};
const open = (client: HiveClient = clientOf(), waitMs = 8000, given = store) =>
  createPacedRefunds(
    { account: "shop", activeKey: wifOf("shop"), store: given, client },
    { waitMs, pollMs: 20 },
  );
/** Creates a client whose transactions reach no node. */
const losing = (): HiveClient => ({ ...clientOf(), broadcast: async () => {} });

/** Refunds once no fork can undo the payment. */
async function refund(refunds: Refunds, ...given: Parameters<Refunds["refund"]>) {
  for (;;) {
    try {
      return await refunds.refund(...given);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== "payment_not_final" && code !== "payment_not_found") throw error;
    }
  }
}

/** Presents a claim until it is decided. */
async function present(url: string, offer: Parameters<typeof presentClaim>[0]): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, { headers: presentClaim(offer) });
    const { code } = (await response.clone().json()) as { code?: string };
    const isWaiting = code === "payment_not_seen" || code === "settlement_pending";
    if (!isWaiting || tries === 300) return response;
  }
}

const txIdOf = async (payment: string): Promise<string> => {
  const { signedTransaction } = decodePayment(payment).payload as { signedTransaction: unknown };
  const { readTransfer } = await import("#lib/x402/transfer.ts");
  const transfer = readTransfer(signedTransaction);
  if (typeof transfer === "string") throw new Error(transfer);
  return transfer.ids.legacy;
};

const refused = async (response: Response) => {
  const { code, error } = (await response.json()) as PaymentRequired & { code: string };
  expect([response.status, code]).toEqual([402, "payment_replayed"]);
  expect(error).toContain("This payment was used already, or the seller has paid it back.");
};

/** A promise that a test fulfils. */
function gate() {
  let enter = () => {};
  let leave = () => {};
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  return { enter, leave, entered, left };
}

/** Lets a paywall lose its lease at once, as a process does that was stopped for a while. */
const forgetful = (given: Store): Store => ({
  ...given,
  setIfAbsent: async (key, ...rest) => key.startsWith("x402:lease:") || given.setIfAbsent(key, ...rest),
});

const stores: Array<[string, () => Promise<Store>]> = [
  ["SQLite", async () => store],
  [
    "Redis",
    async () => {
      const server = await startRedis();
      ends.push(() => server.close());
      const redis = await createRedisStore({ url: server.url });
      ends.push(() => redis.close());
      return redis;
    },
  ],
];

describe("a sent transfer that was refunded", () => {
  test.each(stores)(
    "opens nothing when its claim is presented later, with the shop's claims in %s",
    async (_kind, openIt) => {
      const given = await openIt();
      const url = await sell(echo, { transfers: true, secret, store: given });
      const offer = await transferOfferOf(await fetch(url));
      const txId = await sendTransfers(shop.chain, [{ memo: offer.extra.memo }]);
      const done = await refund(open(clientOf(), 8000, given), txId, "the page did not open");
      expect(done.state).toBe("done");
      await refused(await present(url, offer));
      await refused(await present(url, offer));
    },
  );

  test("counts at no facilitator on the store, while another transfer with its memo does", async () => {
    const facilitator = await startFacilitator(shop.chain, { store });
    ends.push(() => facilitator.close());
    const options = { facilitatorUrl: undefined, facilitator, transfers: true, secret } as const;
    const dataDir = await mkdtemp(join(tmpdir(), "other-claims-"));
    const claims = createSqliteStore({ dataDir });
    ends.push(
      () => rm(dataDir, { recursive: true, force: true }),
      () => claims.close(),
    );
    const url = await sell(echo, { ...options, store: claims });
    const offer = await transferOfferOf(await fetch(url));
    const txId = await sendTransfers(shop.chain, [{ memo: offer.extra.memo }]);
    await refund(open(), txId, "the page did not open");
    await refused(await present(url, offer));
    const second = await sendTransfers(shop.chain, [{ memo: offer.extra.memo, from: "bob" }]);
    let opened = await present(url, offer);
    for (let tries = 0; tries < 300 && opened.status !== 200; tries++) opened = await present(url, offer);
    expect(await opened.json()).toEqual({ payer: "bob", txId: second });
  });

  test("opens nothing after a handler that failed, nor by its use at the facilitator", async () => {
    const facilitator = await startFacilitator(shop.chain, { store });
    ends.push(() => facilitator.close());
    let isBroken = true;
    const handler: Handler = (...given) => (isBroken ? Response.json({}, { status: 500 }) : echo(...given));
    const url = await sell(handler, {
      facilitatorUrl: undefined,
      facilitator,
      transfers: true,
      secret,
      store,
    });
    const offer = await transferOfferOf(await fetch(url));
    const txId = await sendTransfers(shop.chain, [{ memo: offer.extra.memo }]);
    expect((await present(url, offer)).status).toBe(500);
    await refund(open(), txId, "it failed");
    isBroken = false;
    await refused(await present(url, offer));
    await store.delete(`x402:claim:${offer.extra.memo}`);
    await refused(await present(url, offer));
    expect(await open().owed()).toEqual([]);
  });

  test("opens nothing if it is paid back while a process without a lease settles its claim", async () => {
    const { enter, leave, entered, left } = gate();
    const claims: Store = {
      ...forgetful(store),
      async get(key) {
        const value = await store.get(key);
        if (key.startsWith("x402:transfer:")) {
          enter();
          await left;
        }
        return value;
      },
    };
    const url = await sell(echo, { transfers: true, secret, store: claims });
    const offer = await transferOfferOf(await fetch(url));
    const txId = await sendTransfers(shop.chain, [{ memo: offer.extra.memo }]);
    const presented = present(url, offer);
    await entered;
    await refund(open(), txId, "too slow");
    leave();
    await refused(await presented);
  });

  test("opens nothing for the caller whose settlement's answer was lost, at a paywall with another store", async () => {
    const { close, ...facilitator } = await startFacilitator(shop.chain, { store });
    ends.push(close);
    let isLost = true;
    const settle: Facilitator["settle"] = async (...given) => {
      const settled = await facilitator.settle(...given);
      if (isLost && settled.success) {
        isLost = false;
        throw new Error("the answer is lost");
      }
      return settled;
    };
    const claims = createMemoryClaimStore();
    const options = { facilitatorUrl: undefined, facilitator: { ...facilitator, settle } } as const;
    const url = await sell(echo, { ...options, transfers: true, secret, store: claims });
    const offer = await transferOfferOf(await fetch(url));
    const txId = await sendTransfers(shop.chain, [{ memo: offer.extra.memo }]);
    while (isLost) await fetch(url, { headers: presentClaim(offer) });
    await refund(open(), txId, "the answer was lost");
    await refused(await present(url, offer));
  });
});

describe("a signed payment that was refunded", () => {
  test.each(stores)(
    "opens nothing after a handler that failed, with the shop's claims in %s",
    async (_kind, openIt) => {
      const given = await openIt();
      let isBroken = true;
      const handler: Handler = (...args) => (isBroken ? Response.json({}, { status: 500 }) : echo(...args));
      const url = await sell(handler, { store: given });
      const payment = await shop.payFor(url);
      expect((await askPaid(url, payment)).status).toBe(500);
      const before = await shop.balances();
      const txId = await txIdOf(payment);
      expect(await refund(open(clientOf(), 8000, given), txId, "it failed")).toMatchObject({ state: "done" });
      isBroken = false;
      await refused(await askPaid(url, payment));
      expect((await shop.balances()).alice - before.alice).toBe(50);
    },
  );

  test("opens nothing if its payer sent it to the chain and presents it later", async () => {
    const url = await sell(echo, { store });
    const payment = await shop.payFor(url);
    const { signedTransaction } = decodePayment(payment).payload as { signedTransaction: unknown };
    await shop.chain.call("condenser_api.broadcast_transaction", [signedTransaction]);
    await refund(open(), await txIdOf(payment), "nobody asked");
    await refused(await askPaid(url, payment));
  });

  test("is closed before its transfer reaches a node, and recover sends that after a crash", async () => {
    let isBroken = true;
    const url = await sell((...given) => (isBroken ? Response.json({}, { status: 500 }) : echo(...given)), {
      store,
    });
    const payment = await shop.payFor(url);
    await askPaid(url, payment);
    const txId = await txIdOf(payment);
    expect(await refund(open(losing(), 200), txId, "it failed")).toMatchObject({ state: "pending" });
    isBroken = false;
    await refused(await askPaid(url, payment));
    const before = await shop.balances();
    expect(await open().recover()).toMatchObject([{ state: "done", paymentId: txId }]);
    expect((await shop.balances()).alice - before.alice).toBe(50);
  });

  test("stays good if the refund could not be recorded", async () => {
    let isBroken = true;
    const url = await sell((...given) => (isBroken ? Response.json({}, { status: 500 }) : echo(...given)), {
      store,
    });
    const payment = await shop.payFor(url);
    await askPaid(url, payment);
    const full: Store = { ...store, commit: () => Promise.reject(new Error("disk full")) };
    await expect(refund(open(clientOf(), 200, full), await txIdOf(payment), "no")).rejects.toThrow(
      "disk full",
    );
    isBroken = false;
    expect((await askPaid(url, payment)).status).toBe(200);
  });

  test("is refused as in use during its delivery, and paid back after it, and opens nothing more", async () => {
    const { enter, leave, entered, left } = gate();
    const handler: Handler = async (...given) => {
      enter();
      await left;
      return echo(...given);
    };
    const url = await sell(handler, { store });
    const payment = await shop.payFor(url);
    const delivered = askPaid(url, payment);
    await entered;
    const txId = await txIdOf(payment);
    await expect(refund(open(), txId, "no")).rejects.toMatchObject({
      ...{ name: "RefundError", code: "payment_in_use" },
      message: "The payment is being presented or delivered at this moment; try again in a few seconds.",
    });
    expect(await open().find(txId)).toBeNull();
    leave();
    const answer = await delivered;
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(txId)]);
    for (;;) {
      const end = await refund(open(), txId, "as a courtesy").catch((error: { code: string }) => error);
      if ("state" in end) break;
      expect(end.code).toBe("payment_in_use");
    }
    await refused(await askPaid(url, payment));
  });

  test("opens nothing if it is paid back while a process without a lease is about to deliver", async () => {
    const { enter, leave, entered, left } = gate();
    const handler: Handler = async (...given) => {
      enter();
      await left;
      return echo(...given);
    };
    const url = await sell(handler, { store: forgetful(store), access: { for: "30d" } });
    const payment = await shop.payFor(url);
    const presented = fetch(url, { headers: { "x-payment": payment } });
    await entered;
    const refunded = refund(open(), await txIdOf(payment), "too slow");
    await refunded;
    leave();
    expect((await presented).status).toBe(503);
    expect(await store.list("x402:access:", 10)).toEqual([]);
    await refused(await askPaid(url, payment));
  });

  test("ends the purchase of a payer who got all of the money back, and not of one who paid a part", async () => {
    const account = (request: Request) => request.headers.get("x-account");
    const statusFor = async (options: { amount?: string }) => {
      const url = await sell(echo, { store, access: { for: "30d", account, key: crypto.randomUUID() } });
      const payment = await shop.payFor(url);
      expect((await askPaid(url, payment)).status).toBe(200);
      for (;;) {
        const end = await refund(open(), await txIdOf(payment), "half of it was empty", options).catch(
          (error: { code: string }) => error,
        );
        if ("state" in end) break;
        expect(end.code).toBe("payment_in_use");
      }
      return (await fetch(url, { headers: { "x-account": "alice" } })).status;
    };
    expect(await statusFor({ amount: "0.020 HBD" })).toBe(200);
    expect(await statusFor({})).toBe(402);
  });

  test("ends the purchase of a payer who left before the content came", async () => {
    const leaving = new AbortController();
    const { withPaywall } = await import("#lib/x402/next.ts");
    const account = (request: Request) => request.headers.get("x-account");
    const GET = withPaywall<Request, object>(
      { ...shop.price, store, access: { for: "30d", account }, onFault: () => {} },
      () => {
        leaving.abort();
        return new Response("content");
      },
    );
    const url = "http://shop.example/left";
    const asked = await GET(new Request(url), {});
    const { offerOf } = await import("../../harness/ask-paid.ts");
    const { signPayment } = await import("#lib/x402/client/index.ts");
    const payment = await signPayment({ ...shop.purse(), requirements: await offerOf(asked) });
    await GET(new Request(url, { headers: { "x-payment": payment }, signal: leaving.signal }), {});
    const back = () => GET(new Request(url, { headers: { "x-account": "alice" } }), {});
    expect((await back()).status).toBe(200);
    await refund(open(), await txIdOf(payment), "the payer left", { amount: "0.020 HBD" });
    expect((await back()).status).toBe(402);
  });
});
