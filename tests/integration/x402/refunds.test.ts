import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MAINNET_CHAIN_ID } from "#lib/chains.ts";
import { createHiveClient, type HiveClient } from "#lib/hive/client.ts";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import type { Store } from "#lib/store/store.ts";
import { createRefunds } from "#lib/x402/refunds/index.ts";
import { createPacedRefunds, type Refunds, type RefundsOptions } from "#lib/x402/refunds/paced-refunds.ts";
import { receiptOf } from "../../harness/ask-paid.ts";
import { echo, openShop } from "../../harness/open-shop.ts";
import { sendTransfers } from "../../harness/send-transfer.ts";
import { callRpc } from "../../harness/start-sandbox-chain.ts";
import { type ScriptedReply, startScriptedNode } from "../../harness/start-scripted-node.ts";
import { wifOf } from "../../harness/start-shop.ts";

const { shop, sell } = await openShop();

let dataDir: string;
let store: Store;
const nodes: Array<{ close(): Promise<void> }> = [];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "refunds-"));
  store = createSqliteStore({ dataDir });
});
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.close()));
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
});

const clientOf = () => createHiveClient({ nodes: shop.chain.urls, chainId: shop.chain.chainId });
const open = (options: Partial<RefundsOptions> = {}, waitMs = 8000) =>
  createPacedRefunds(
    { account: "shop", activeKey: wifOf("shop"), store, client: clientOf(), ...options },
    { waitMs, pollMs: 20 },
  );

/** Sells something for 0.050 HBD, and returns the id of alice's payment. */
async function buy(): Promise<string> {
  const response = await shop.payer()(await sell(echo));
  return String(receiptOf(response).txId);
}

/** Waits until no fork can undo the payment, and refunds it. */
async function refundWhenFinal(refunds: Refunds, ...given: Parameters<Refunds["refund"]>) {
  for (;;) {
    try {
      return await refunds.refund(...given);
    } catch (error) {
      if ((error as { code?: string }).code !== "payment_not_final") throw error;
    }
  }
}

/** Refunds a transfer once a block that no fork can undo has it. */
async function refundOnceFound(refunds: Refunds, ...given: Parameters<Refunds["refund"]>) {
  for (;;) {
    try {
      return await refundWhenFinal(refunds, ...given);
    } catch (error) {
      if ((error as { code?: string }).code !== "payment_not_found") throw error;
    }
  }
}

/** Creates a client whose transactions reach no node while `isLost` returns true. */
const losing = (sent: unknown[], isLost: () => boolean = () => true): HiveClient => {
  const client = clientOf();
  return {
    ...client,
    broadcast: async (transaction, options) => {
      sent.push(transaction);
      if (!isLost()) await client.broadcast(transaction, options);
    },
  };
};

const NOT_SERVED: ScriptedReply = { error: { code: -32601, message: "Could not find API" } };
const UNKNOWN: ScriptedReply = {
  error: { code: -32003, message: "Assert Exception:false: Unknown Transaction" },
};

/** Starts a node that passes calls on to the chain, except those for the history that `reply` answers. */
async function nodeWith(reply: (method: string) => ScriptedReply | undefined): Promise<string> {
  const node = await startScriptedNode(shop.chain.chainId, async ({ method, params }) => {
    const given = /\.get_(transaction|account_history)$/.test(method) ? reply(method) : undefined;
    if (given) return given;
    const { result, error } = await callRpc(shop.chain.url, method, params);
    return error ? { error } : { result };
  });
  nodes.push(node);
  return node.url;
}

beforeAll(async () => {
  // The shop needs funds to refund from.
  await buy();
});

describe("refund", () => {
  test("pays the payer back, with the payment's id in the memo", async () => {
    const txId = await buy();
    const before = await shop.balances();
    const refund = await refundWhenFinal(open(), txId, "the report was empty");
    expect(refund).toEqual({
      ...{ state: "done", paymentId: txId, txId: expect.stringMatching(/^[0-9a-f]{40}$/), to: "alice" },
      ...{ amount: "0.050 HBD", reason: "the report was empty", blockNum: expect.any(Number) },
      requestedAt: expect.any(String),
    });
    const after = await shop.balances();
    expect([after.alice - before.alice, before.shop - after.shop]).toEqual([50, 50]);
    const sent = await shop.chain.call("condenser_api.get_transaction", [refund.txId]);
    expect(JSON.stringify(sent)).toContain(`"memo":"x402:refund:${txId}"`);
  });

  test("returns the same refund to a repeat with another reason or amount, and pays once", async () => {
    const txId = await buy();
    const first = await refundWhenFinal(open(), txId, "broken");
    const before = await shop.balances();
    expect(await open().refund(txId, "broken again")).toEqual(first);
    for (const amount of ["0.051 HBD", "0.020 HBD"])
      expect(await open().refund(txId, "broken", { amount })).toEqual(first);
    expect(await open().find(txId)).toEqual(first);
    expect(await shop.balances()).toEqual(before);
  });

  test("returns a refund that is done, even if no node has the payment any more", async () => {
    const txId = await buy();
    const first = await refundWhenFinal(open(), txId, "broken");
    const urls = [await nodeWith(() => UNKNOWN), await nodeWith(() => UNKNOWN)];
    const client = createHiveClient({ nodes: urls, chainId: shop.chain.chainId });
    expect(await open({ client }).refund(txId, "broken")).toEqual(first);
    await client.close();
  });

  test("pays a part back, and refuses more than was paid", async () => {
    const txId = await buy();
    await expect(refundWhenFinal(open(), txId, "late", { amount: "0.051 HBD" })).rejects.toMatchObject({
      name: "RefundError",
      code: "amount_too_high",
    });
    const before = await shop.balances();
    const refund = await open().refund(txId, "late", { amount: "0.020 HBD" });
    expect([refund.amount, (await shop.balances()).alice - before.alice]).toEqual(["0.020 HBD", 20]);
  });

  test("pays once for simultaneous calls of two servers that share a store", async () => {
    const txId = await buy();
    const servers = [open(), open()];
    const before = await shop.balances();
    const refunds = await Promise.all(
      servers.flatMap((server) => [1, 2, 3].map(() => refundWhenFinal(server, txId, "broken"))),
    );
    expect(new Set(refunds.map((refund) => refund.txId)).size).toBe(1);
    expect((await shop.balances()).alice - before.alice).toBe(50);
  });

  test("is recorded before it is sent, and after a crash the same transfer is sent again", async () => {
    const txId = await buy();
    const sent: unknown[] = [];
    const before = await shop.balances();
    const lost = await refundWhenFinal(open({ client: losing(sent) }, 200), txId, "broken");
    expect([lost.state, sent.length > 0]).toEqual(["pending", true]);
    expect(await shop.balances()).toEqual(before);
    const next = open();
    await next.recover();
    expect(await next.find(txId)).toMatchObject({ state: "done", txId: lost.txId });
    expect((await shop.balances()).alice - before.alice).toBe(50);
  });

  test("sends nothing if it can't be recorded", async () => {
    const txId = await buy();
    const sent: unknown[] = [];
    const failing: Store = { ...store, commit: () => Promise.reject(new Error("disk full")) };
    const refunds = open({ store: failing, client: losing(sent) });
    await expect(refundWhenFinal(refunds, txId, "broken")).rejects.toThrow("disk full");
    expect(sent).toEqual([]);
  });

  test("is signed anew only once no block can include the first transfer any more", async () => {
    const txId = await buy();
    const sent: unknown[] = [];
    let isLost = true;
    const refunds = open({ client: losing(sent, () => isLost) });
    const before = await shop.balances();
    const lost = await refundWhenFinal(open({ client: losing(sent) }, 200), txId, "broken");
    await shop.chain.advanceTime(200);
    isLost = false;
    let again = await refunds.refund(txId, "broken");
    for (let tries = 0; tries < 20 && again.state === "pending"; tries++)
      again = await refunds.refund(txId, "broken");
    expect([again.state, again.txId === lost.txId]).toEqual(["done", false]);
    expect((await shop.balances()).alice - before.alice).toBe(50);
  });

  test("is refused if the chain shows a refund that the store has lost", async () => {
    const txId = await buy();
    await refundWhenFinal(open(), txId, "broken");
    const fresh = createSqliteStore({ dataDir: join(dataDir, "fresh") });
    const refusal = open({ store: fresh }).refund(txId, "broken");
    await expect(refusal).rejects.toMatchObject({ code: "already_refunded" });
    await fresh.close();
  });

  test("is refused for an unknown payment, and for a payment to another account", async () => {
    await expect(open().refund("0".repeat(40), "broken")).rejects.toMatchObject({
      code: "payment_not_found",
    });
    await expect(open().refund("no id", "broken")).rejects.toMatchObject({ code: "payment_not_found" });
    const txId = await buy();
    const other = open({ account: "bob", activeKey: wifOf("bob") });
    await expect(other.refund(txId, "broken")).rejects.toMatchObject({ code: "not_paid_to_account" });
    const refund = await refundWhenFinal(open(), txId, "broken");
    const payer = open({ account: "alice", activeKey: wifOf("alice") });
    await expect(payer.refund(refund.txId, "no")).rejects.toMatchObject({ code: "not_paid_to_account" });
  });

  test.each(["", "thanks", " x402:ABCDEFGHIJKLMNOPQRSTUVWXYZ234567\n", "x402:short", "#encrypted"])(
    "pays a transfer with the memo %j back once, in part if asked",
    async (memo) => {
      const txId = await sendTransfers(shop.chain, [{ memo }]);
      const before = await shop.balances();
      const refund = await refundOnceFound(open(), txId, "a mistyped memo", { amount: "0.020 HBD" });
      expect(refund).toMatchObject({ state: "done", paymentId: txId, to: "alice", amount: "0.020 HBD" });
      expect(await open().refund(txId, "again")).toEqual(refund);
      expect((await shop.balances()).alice - before.alice).toBe(20);
    },
  );

  test("pays a transfer of HIVE back as a whole, and refuses a part of it", async () => {
    await shop.chain.setAccount({ name: "alice", milliHive: 1000 });
    const txId = await sendTransfers(shop.chain, [{ memo: "thanks", symbol: "HIVE" }]);
    const part = refundOnceFound(open(), txId, "the wrong coin", { amount: "0.020 HBD" });
    await expect(part).rejects.toMatchObject({ code: "amount_too_high" });
    const refund = await open().refund(txId, "the wrong coin");
    expect(refund).toMatchObject({ state: "done", paymentId: txId, to: "alice", amount: "0.050 HIVE" });
    expect(await open().refund(txId, "again")).toEqual(refund);
  });

  test("pays the payment of a transaction back that sent other transfers too, and those by index", async () => {
    const memo = `x402:${"A".repeat(32)}`;
    const txId = await sendTransfers(shop.chain, [{ memo: "thanks", mils: 20 }, { memo }]);
    const refunds = open();
    expect(await refundOnceFound(refunds, txId, "broken")).toMatchObject({
      ...{ paymentId: `${txId}:1`, amount: "0.050 HBD" },
    });
    expect(await refunds.refund(`${txId}:0`, "broken")).toMatchObject({
      ...{ paymentId: txId, amount: "0.020 HBD" },
    });
  });

  test.each(["refund", "return"])("is refused for the memo of another account's %s", async (kind) => {
    const memo = `x402:${kind}:${"a".repeat(40)}`;
    const txIds = [
      await sendTransfers(shop.chain, [{ memo }]),
      await sendTransfers(shop.chain, [{ memo }, { memo }]),
    ];
    for (const txId of txIds)
      await expect(refundOnceFound(open(), txId, "no")).rejects.toMatchObject({
        code: "not_paid_to_account",
        message: "The transfer did not go from another account to shop, or is a refund itself.",
      });
  });

  test.each<[string, (method: string) => ScriptedReply | undefined]>([
    ["serves no history", () => NOT_SERVED],
    [
      "serves the history under its older name only",
      (method) => (method.startsWith("account_history_api.") ? NOT_SERVED : undefined),
    ],
    ["does not have the payment", (method) => (method.endsWith(".get_transaction") ? UNKNOWN : undefined)],
  ])("reads the payment through other nodes if the first one %s", async (_what, reply) => {
    const txId = await buy();
    const urls = [await nodeWith(reply), shop.chain.url, await nodeWith(() => undefined)];
    const client = createHiveClient({ nodes: urls, chainId: shop.chain.chainId });
    expect(await refundWhenFinal(open({ client }), txId, "broken")).toMatchObject({ state: "done" });
    await client.close();
  });

  test("rejects with chain_unavailable, not payment_not_found, if only one node says it lacks the payment", async () => {
    const txId = await buy();
    const urls = [await nodeWith(() => UNKNOWN), await nodeWith(() => NOT_SERVED)];
    const client = createHiveClient({ nodes: urls, chainId: shop.chain.chainId });
    await expect(open({ client }).refund(txId, "broken")).rejects.toMatchObject({
      code: "chain_unavailable",
    });
    await client.close();
  });

  test("is refused after the store is lost, even if one node hides the account's transfers", async () => {
    const txId = await buy();
    await refundWhenFinal(open(), txId, "broken");
    const fresh = createSqliteStore({ dataDir: join(dataDir, "fresh") });
    const hides = (method: string): ScriptedReply | undefined =>
      method === "account_history_api.get_account_history" ? { result: { history: [] } } : undefined;
    const urls = [await nodeWith(hides), shop.chain.url, await nodeWith(() => undefined)];
    const client = createHiveClient({ nodes: urls, chainId: shop.chain.chainId });
    const before = await shop.balances();
    await expect(open({ store: fresh, client }).refund(txId, "broken")).rejects.toMatchObject({
      code: "already_refunded",
    });
    expect(await shop.balances()).toEqual(before);
    await Promise.all([fresh.close(), client.close()]);
  });

  test("is refused while no two nodes agree on the payment's block", async () => {
    const txId = await buy();
    const client = clientOf();
    const doubting: HiveClient = { ...client, agree: () => Promise.reject(new Error("no two agree")) };
    await expect(open({ client: doubting }).refund(txId, "broken")).rejects.toThrow("no two agree");
  });

  test("accepts a signer in place of a key", async () => {
    const { createKeySigner } = await import("#lib/x402/client/index.ts");
    const signTransaction = createKeySigner(wifOf("shop"), { chainId: shop.chain.chainId });
    const refunds = createRefunds({ account: "shop", signTransaction, store, client: clientOf() });
    const txId = await buy();
    expect(await refundWhenFinal(refunds, txId, "broken")).toMatchObject({ state: "done" });
  });

  test("rejects invalid options and arguments", async () => {
    expect(() => open({ account: "No" })).toThrow("account must be a chain account name");
    expect(() => open({ activeKey: undefined })).toThrow("activeKey is not set");
    for (const name of ["dataDirectory", "waitMs", "pollMs"])
      expect(() => open({ [name]: 1 })).toThrow(`${name} is no option`);
    const txId = await buy();
    await expect(open().refund(txId, "")).rejects.toThrow("reason must be a text");
    await expect(open().refund(txId, "x", { amount: "0.05" })).rejects.toThrow("amount must be text");
  });
});

describe("recover", () => {
  const bob = { account: "bob", activeKey: wifOf("bob") };

  test("leaves the refund of another account that shares the store alone", async () => {
    const txId = await buy();
    const sent: unknown[] = [];
    await refundWhenFinal(open({ client: losing(sent) }, 200), txId, "broken");
    const other = open({ ...bob, client: losing(sent, () => false) });
    sent.length = 0;
    expect([await other.recover(), await other.find(txId), sent]).toEqual([[], null, []]);
  });

  test("leaves the refund of another chain alone, such as a sandbox's", async () => {
    const txId = await buy();
    const sent: unknown[] = [];
    await refundWhenFinal(open({ client: losing(sent) }, 200), txId, "broken");
    sent.length = 0;
    const live = open({ client: { ...losing(sent), chainId: MAINNET_CHAIN_ID } });
    expect([await live.recover(), await live.find(txId), sent]).toEqual([[], null, []]);
  });

  test.each<[string, (txId: string) => Partial<Store>]>([
    [
      "can't be written",
      (txId) => ({
        commit: async (change) => {
          if (change.set?.some(([key]) => key.endsWith(txId))) throw new Error("no room for it");
          return store.commit(change);
        },
      }),
    ],
    [
      "can't be read",
      (txId) => ({ get: async (key) => (key.endsWith(txId) ? "no room for it" : store.get(key)) }),
    ],
  ])("continues all others before it rejects because one %s", async (_what, damageOf) => {
    const [first, second] = [await buy(), await buy()];
    for (const txId of [first, second])
      await refundWhenFinal(open({ client: losing([]) }, 200), txId, "broken");
    await expect(open({ store: { ...store, ...damageOf(first) } }).recover()).rejects.toThrow("no room");
    expect(await open().find(second)).toMatchObject({ state: "done" });
  });
});
