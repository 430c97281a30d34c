import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHiveClient, type HiveClient } from "#lib/hive/client.ts";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import type { Store } from "#lib/store/store.ts";
import { createMemoryStore } from "#lib/x402/memory-store.ts";
import { createPacedRefunds, type RefundsOptions } from "#lib/x402/refunds/paced-refunds.ts";
import { createReturnBook, noteInBook } from "#lib/x402/return-book.ts";
import type { PaymentRequired, TransferOffer, TransferToReturn } from "#lib/x402/types.ts";
import { echo, openShop } from "../../harness/open-shop.ts";
import {
  presentClaim,
  type SentTransfer,
  sendTransfers,
  transferOfferOf,
} from "../../harness/send-transfer.ts";
import { secretOf, signTransaction } from "../../harness/sign-transaction.ts";
import { wifOf } from "../../harness/start-shop.ts";

const { shop, sell } = await openShop();
const secret = "s".repeat(32);

let dataDir: string;
let store: Store;
const clients: HiveClient[] = [];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "returns-"));
  store = createSqliteStore({ dataDir });
  await shop.chain.setAccount({ name: "shop", hbdMils: 10_000, milliHive: 10_000 });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
});

const clientOf = () => {
  const client = createHiveClient({ nodes: shop.chain.urls, chainId: shop.chain.chainId });
  clients.push(client);
  return client;
};
const open = (options: Partial<RefundsOptions> = {}, waitMs = 8000) =>
  createPacedRefunds(
    { account: "shop", activeKey: wifOf("shop"), store, client: clientOf(), ...options },
    { waitMs, pollMs: 20 },
  );

/** Asks with a claim until the transfers are in a block, and returns what the seller owes back. */
async function untilOwed(url: string, offer: TransferOffer): Promise<PaymentRequired> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, { headers: presentClaim(offer) });
    const refusal = (await response.json()) as PaymentRequired;
    if (refusal.returns) return refusal;
    if (tries === 500) throw new Error(`nothing is owed back with status ${response.status}`);
  }
}

/** Presents a claim until its transfer is in a block, up to five hundred times. */
async function untilAnswered(url: string, offer: TransferOffer): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, { headers: presentClaim(offer) });
    const { code } = (await response.clone().json()) as { code?: string };
    const isWaiting = code === "payment_not_seen" || code === "settlement_pending" || code === "degraded";
    if (!isWaiting || tries === 500) return response;
  }
}

/** Pays an offer wrongly at a paywall that only notes it; returns the transfers in the books. */
async function payWrongly(transfers: Array<Partial<SentTransfer>>): Promise<TransferToReturn[]> {
  const url = await sell(echo, { transfers: true, secret, store });
  const offer = await transferOfferOf(await fetch(url));
  await sendTransfers(
    shop.chain,
    transfers.map((transfer) => ({ ...transfer, memo: offer.extra.memo })),
  );
  await untilOwed(url, offer);
  return open().owed();
}
/** Returns the memos and amounts of the transfers from shop to an account in its history. */
async function sentTo(account: string) {
  const history = (await shop.chain.call("condenser_api.get_account_history", ["shop", -1, 1000])) as Array<
    [number, { op: [string, { to: string; from: string; memo: string; amount: string }] }]
  >;
  return history
    .map(([, { op }]) => op[1])
    .filter(({ from, to }) => from === "shop" && to === account)
    .map(({ memo, amount }) => ({ memo, amount }));
}
/** Returns the block of a transaction in shop's history. */
async function blockOf(txId: string): Promise<number> {
  const history = (await shop.chain.call("condenser_api.get_account_history", ["shop", -1, 1000])) as Array<
    [number, { trx_id: string; block: number }]
  >;
  return history.find(([, entry]) => entry.trx_id === txId)?.[1].block ?? 0;
}
/** Refunds a payment once no fork can undo its block, and returns the refund or the error. */
async function refundOnceFinal(
  refunds: ReturnType<typeof open>,
  ...given: Parameters<typeof refunds.refund>
) {
  for (;;) {
    const found = await refunds.refund(...given).catch((error: { code?: string }) => error);
    if (!("code" in found) || found.code !== "payment_not_final") return found;
  }
}
const returnsOf = async (account: string, txId: string) =>
  (await sentTo(account)).filter(({ memo }) => memo === `x402:return:${txId}`);

test("a wrong transfer is sent back at once by the seller's signer, with the id of its transaction", async () => {
  const refunds = open();
  const url = await sell(echo, { transfers: true, secret, store, refunds });
  const offer = await transferOfferOf(await fetch(url));
  const txId = await sendTransfers(shop.chain, [{ memo: offer.extra.memo, from: "bob", mils: 70 }]);
  const { error, returns } = await untilOwed(url, offer);
  expect(returns).toMatchObject([{ txId, state: "sending", cause: "paid_too_much" }]);
  expect(error).toContain("is sending it back");
  await expect.poll(() => returnsOf("bob", txId)).toHaveLength(1);
  await expect.poll(refunds.owed).toEqual([]);
});

test("a transfer with a line break after its memo is sent back at once, and only once", async () => {
  const refunds = open();
  const url = await sell(echo, { transfers: true, secret, store, refunds });
  const offer = await transferOfferOf(await fetch(url));
  const txId = await sendTransfers(shop.chain, [{ memo: `${offer.extra.memo}\n`, from: "bob" }]);
  const { code, error, returns } = await untilOwed(url, offer);
  expect([code, returns]).toMatchObject([
    "payment_not_seen",
    [{ txId, state: "sending", cause: "paid_other_memo" }],
  ]);
  expect(error).toContain("spaces or line breaks around its memo");
  await expect
    .poll(() => returnsOf("bob", txId))
    .toEqual([{ memo: `x402:return:${txId}`, amount: "0.050 HBD" }]);
  await expect.poll(refunds.owed).toEqual([]);
  expect(await refunds.recover()).toEqual([]);
  expect(await returnsOf("bob", txId)).toHaveLength(1);
});

test("a transfer with a space after its memo that another facilitator let count is not sent back", async () => {
  const url = await sell(echo, { transfers: true, secret, store });
  const { extra } = await transferOfferOf(await fetch(url));
  const txId = await sendTransfers(shop.chain, [{ memo: `${extra.memo} ` }]);
  await expect.poll(() => blockOf(txId)).toBeGreaterThan(0);
  const settlement = { txId, operation: 0 };
  await store.setIfAbsent(`x402:claim:${extra.memo}`, JSON.stringify({ phase: "paid", settlement }));
  const wrong: TransferToReturn = {
    ...{ txId, operation: 0, blockNum: await blockOf(txId), payer: "alice", amount: "0.050 HBD" },
    cause: "paid_other_memo",
  };
  await expect(open().giveBack(wrong)).rejects.toMatchObject({ code: "payment_counted" });
  expect(await returnsOf("alice", txId)).toEqual([]);
});

test("a wrong transfer waits in the books of a seller without a signer, and is sent back once from there", async () => {
  const owed = await payWrongly([{ from: "bob", mils: 30 }]);
  const [{ txId } = { txId: "" }] = owed;
  expect(owed).toMatchObject([{ payer: "bob", amount: "0.030 HBD", cause: "paid_too_little" }]);
  const refunds = open();
  expect(await refunds.recover()).toMatchObject([{ state: "done", to: "bob", amount: "0.030 HBD" }]);
  expect(await refunds.owed()).toEqual([]);
  expect(await refunds.recover()).toEqual([]);
  expect(await returnsOf("bob", txId)).toEqual([{ memo: `x402:return:${txId}`, amount: "0.030 HBD" }]);
});

test("a transfer is sent back once by many calls, and not again by a refund of its payment", async () => {
  const [owed] = (await payWrongly([{ mils: 20 }])) as [TransferToReturn];
  await Promise.all(Array.from({ length: 5 }, () => open().giveBack(owed)));
  const refunded = await refundOnceFinal(open(), owed.txId, "asked by mail");
  expect(refunded).toMatchObject({ reason: "paid_too_little", amount: "0.020 HBD" });
  expect(await returnsOf("alice", owed.txId)).toHaveLength(1);
});

test("a transfer that was sent back is not sent back again from an empty store", async () => {
  const [owed] = (await payWrongly([{ mils: 20 }])) as [TransferToReturn];
  await open().giveBack(owed);
  const folder = await mkdtemp(join(tmpdir(), "returns-"));
  const emptied = createSqliteStore({ dataDir: folder });
  await expect(open({ store: emptied }).giveBack(owed)).rejects.toMatchObject({ code: "already_refunded" });
  await emptied.close();
  await rm(folder, { recursive: true, force: true });
});

test("a transfer that was refunded from another store is not sent back, and holds up no other", async () => {
  const [owed] = (await payWrongly([{ mils: 20 }])) as [TransferToReturn];
  const folder = await mkdtemp(join(tmpdir(), "returns-"));
  const other = createSqliteStore({ dataDir: folder });
  const refunded = await refundOnceFinal(open({ store: other }), owed.txId, "asked by mail");
  expect(refunded).toMatchObject({ state: "done" });
  await expect(open().giveBack(owed)).rejects.toMatchObject({ code: "already_refunded" });
  const [next] = (await payWrongly([{ from: "bob", mils: 30 }])).filter(({ payer }) => payer === "bob");
  expect(await open().recover()).toMatchObject([{ to: "bob", amount: "0.030 HBD" }]);
  expect(await returnsOf("bob", next?.txId ?? "")).toHaveLength(1);
  expect(await returnsOf("alice", owed.txId)).toEqual([]);
  await other.close();
  await rm(folder, { recursive: true, force: true });
});

test("the books take wrong transfers beyond two thousand, each once", async () => {
  const memory = createMemoryStore();
  const book = { network: "chain:sandbox", account: "shop" };
  const transferOf = (operation: number): TransferToReturn => ({
    ...{ txId: "ab".repeat(20), operation, blockNum: 7, payer: "alice", amount: "0.020 HBD" },
    cause: "paid_too_little",
  });
  for (let operation = 0; operation < 2001; operation++)
    await noteInBook(memory, book, transferOf(operation));
  expect(await noteInBook(memory, book, transferOf(2001))).toBe("new");
  expect(await noteInBook(memory, book, transferOf(2000))).toBe("noted");
});

test("the books list a large transfer behind more small ones than a list holds", async () => {
  const book = { network: "chain:sandbox", account: "shop" };
  const note = (operation: number, amount: string) =>
    noteInBook(store, book, {
      ...{ txId: "ab".repeat(20), operation, blockNum: 7, payer: "alice", amount, cause: "paid_too_little" },
    });
  for (let operation = 0; operation < 20; operation++) await note(operation, "0.010 HBD");
  await note(99, "49.000 HBD");
  const list: Store["list"] = (prefix, limit) => store.list(prefix, Math.min(limit, 10));
  const owed = await createReturnBook({ ...store, list }, book).list();
  expect(owed.map(({ amount }) => amount)).toContain("49.000 HBD");
});

test("the books list a transfer of a former version's, and strike it off", async () => {
  const book = { network: "chain:sandbox", account: "shop" };
  const former: TransferToReturn = {
    ...{ txId: "ab".repeat(20), operation: 0, blockNum: 7, payer: "alice", amount: "0.020 HBD" },
    cause: "paid_too_little",
  };
  await store.set(`x402:to-return:chain:sandbox:shop:${former.txId}:0`, JSON.stringify(former));
  const open = createReturnBook(store, book);
  await noteInBook(store, book, former);
  expect(await open.list()).toEqual([former]);
  await open.strike(former);
  expect([await open.list(), await noteInBook(store, book, former)]).toEqual([[], "returned"]);
});

test("a store that can't note wrong transfers keeps no claim from its page, and changes no refusal", async () => {
  const setIfAbsent: Store["setIfAbsent"] = (key, ...given) =>
    key.startsWith("x402:to-return:") ? Promise.reject(new Error("full")) : store.setIfAbsent(key, ...given);
  const url = await sell(echo, { transfers: true, secret, store: { ...store, setIfAbsent } });
  const offer = await transferOfferOf(await fetch(url));
  await sendTransfers(shop.chain, [{ memo: offer.extra.memo, mils: 20 }, { memo: offer.extra.memo }]);
  expect((await untilAnswered(url, offer)).status).toBe(200);
  const again = await fetch(url, { headers: presentClaim(offer) });
  expect(again.status).toBe(402);
  expect(await again.json()).toMatchObject({ code: "payment_replayed" });
});

test("a signer that throws is asked once for a wrong transfer, however often its claim is presented", async () => {
  const asked: string[] = [];
  const refunds = {
    account: "shop",
    giveBack: ({ txId }: TransferToReturn) => {
      asked.push(txId);
      throw new Error("no key");
    },
  };
  const url = await sell(echo, { transfers: true, secret, store, refunds });
  const offer = await transferOfferOf(await fetch(url));
  const txId = await sendTransfers(shop.chain, [{ memo: offer.extra.memo, mils: 30 }]);
  for (let tries = 0; tries < 3; tries++)
    expect((await untilOwed(url, offer)).returns).toMatchObject([{ txId }]);
  expect(asked).toEqual([txId]);
});

test("dust stays in the books until the seller sends it back, and is reported as returned then", async () => {
  const refunds = open();
  const url = await sell(echo, { transfers: true, secret, store, refunds });
  const offer = await transferOfferOf(await fetch(url));
  const txId = await sendTransfers(shop.chain, [{ memo: offer.extra.memo, mils: 9 }]);
  const { returns } = await untilOwed(url, offer);
  expect(returns).toMatchObject([{ txId, state: "noted" }]);
  expect(await refunds.recover()).toEqual([]);
  const [owed] = (await refunds.owed()) as [TransferToReturn];
  expect(await refunds.giveBack(owed)).toMatchObject({ to: "alice", amount: "0.009 HBD" });
  expect((await untilOwed(url, offer)).returns).toMatchObject([{ txId, state: "returned" }]);
  expect(await refunds.owed()).toEqual([]);
});

test("a second transfer for one claim is in the books once the first has opened the page", async () => {
  const url = await sell(echo, { transfers: true, secret, store });
  const offer = await transferOfferOf(await fetch(url));
  const { memo } = offer.extra;
  const txId = await sendTransfers(shop.chain, [{ memo }, { memo }]);
  expect((await untilAnswered(url, offer)).status).toBe(200);
  expect(await open().owed()).toMatchObject([{ txId, cause: "paid_twice" }]);
});

test("a transfer stays in the books while nodes lack its block", async () => {
  const [owed] = (await payWrongly([{ mils: 20 }])) as [TransferToReturn];
  const method = "condenser_api.get_block";
  for (const node of shop.chain.urls.keys())
    await shop.chain.setFault({ kind: "lie", method, result: null }, node);
  await expect(open().giveBack(owed)).rejects.toMatchObject({ code: "chain_unavailable" });
  for (const node of shop.chain.urls.keys()) await shop.chain.clearFaults(node);
  expect(await open().owed()).toEqual([owed]);
});

test("a transfer that has opened a page is not sent back, whatever a facilitator says", async () => {
  const url = await sell(echo, { transfers: true, secret, store });
  const offer = await transferOfferOf(await fetch(url));
  const txId = await sendTransfers(shop.chain, [{ memo: offer.extra.memo }]);
  expect((await untilAnswered(url, offer)).status).toBe(200);
  const [key] = (await store.list("x402:claim:", 1)).map((entry) => entry.key);
  expect(key).toBe(`x402:claim:${offer.extra.memo}`);
  // The history's node can be a block behind.
  await expect.poll(() => blockOf(txId)).toBeGreaterThan(0);
  const blockNum = await blockOf(txId);
  const lie: TransferToReturn = {
    ...{ txId, operation: 0, blockNum, payer: "alice", amount: "0.050 HBD", cause: "paid_twice" },
  };
  await expect(open().giveBack(lie)).rejects.toMatchObject({ code: "payment_counted" });
  expect(await returnsOf("alice", txId)).toEqual([]);
  expect(await open().owed()).toEqual([]);
});

test("two wrong transfers of one transaction are sent back each by itself", async () => {
  const owed = await payWrongly([{ mils: 20 }, { mils: 30 }]);
  const [{ txId } = { txId: "" }] = owed;
  expect(owed).toMatchObject([{ operation: 0 }, { operation: 1 }]);
  await open().recover();
  expect((await returnsOf("alice", txId)).map(({ amount }) => amount).toSorted()).toEqual([
    "0.020 HBD",
    "0.030 HBD",
  ]);
});

test("payments of one transaction are refunded each by itself, by the index of its operation", async () => {
  const url = await sell(echo, { transfers: true, secret, store });
  const offers = [await transferOfferOf(await fetch(url)), await transferOfferOf(await fetch(url))];
  const txId = await sendTransfers(
    shop.chain,
    offers.map(({ extra }) => ({ memo: extra.memo })),
  );
  for (const offer of offers) expect((await untilAnswered(url, offer)).status).toBe(200);
  const refunds = open();
  const refund = (...given: Parameters<typeof refunds.refund>) => refundOnceFinal(refunds, ...given);
  expect(await refund(txId, "broken")).toMatchObject({ code: "operation_missing" });
  expect(await refund(`${txId}:2`, "broken")).toMatchObject({ code: "not_paid_to_account" });
  const second = await refund(`${txId}:1`, "broken", { amount: "0.020 HBD" });
  expect(second).toMatchObject({ state: "done", paymentId: `${txId}:1`, amount: "0.020 HBD" });
  expect(await refund(`${txId}:1`, "again")).toEqual(second);
  expect(await refund(`${txId}:0`, "broken")).toMatchObject({ state: "done", paymentId: txId });
  const sent = (await sentTo("alice")).filter(({ memo }) => memo.includes(txId));
  expect(sent.toSorted((one, other) => one.memo.length - other.memo.length)).toEqual([
    { memo: `x402:refund:${txId}`, amount: "0.050 HBD" },
    { memo: `x402:refund:${txId}:1`, amount: "0.020 HBD" },
  ]);
  const folder = await mkdtemp(join(tmpdir(), "returns-"));
  const emptied = createSqliteStore({ dataDir: folder });
  for (const index of [0, 1])
    await expect(open({ store: emptied }).refund(`${txId}:${index}`, "lost")).rejects.toMatchObject({
      code: "already_refunded",
    });
  await emptied.close();
  await rm(folder, { recursive: true, force: true });
});

test("a transfer that another store has returned is not sent back again after a refund of one beside it", async () => {
  const owed = await payWrongly([{ mils: 20 }, { mils: 30 }]);
  const [first] = owed as [TransferToReturn];
  const refunded = await refundOnceFinal(open(), `${first.txId}:1`, "asked by mail");
  expect(refunded).toMatchObject({ state: "done" });
  const folder = await mkdtemp(join(tmpdir(), "returns-"));
  const other = createSqliteStore({ dataDir: folder });
  expect(await open({ store: other }).giveBack(first)).toMatchObject({ state: "done" });
  await expect(open().giveBack(first)).rejects.toMatchObject({ code: "already_refunded" });
  expect(await returnsOf("alice", first.txId)).toHaveLength(1);
  await other.close();
  await rm(folder, { recursive: true, force: true });
});

test("a transfer of HIVE is sent back in HIVE", async () => {
  await shop.chain.setAccount({ name: "alice", milliHive: 1000 });
  const url = await sell(echo, { transfers: true, secret, store, refunds: open() });
  const offer = await transferOfferOf(await fetch(url));
  const { memo } = offer.extra;
  const amount = { amount: 50n, symbol: "HIVE" as const };
  const { id, json } = await signTransaction(
    shop.chain,
    [{ type: "transfer", from: "alice", to: "shop", amount, memo }],
    { keys: [secretOf("alice", "active")] },
  );
  await shop.chain.call("condenser_api.broadcast_transaction", [json]);
  await untilOwed(url, offer);
  await expect.poll(() => returnsOf("alice", id)).toMatchObject([{ amount: "0.050 HIVE" }]);
});

test("a return that was recorded and not sent is sent as it was signed, by the next process", async () => {
  const [owed] = (await payWrongly([{ mils: 20 }])) as [TransferToReturn];
  const client = clientOf();
  const mute: HiveClient = { ...client, broadcast: async () => {} };
  const recorded = await open({ client: mute }, 100).giveBack(owed);
  expect(recorded.state).toBe("pending");
  expect(await returnsOf("alice", owed.txId)).toEqual([]);
  expect(await open().recover()).toMatchObject([{ state: "done", txId: recorded.txId }]);
  expect(await returnsOf("alice", owed.txId)).toHaveLength(1);
});

test("a transfer that the chain does not have, or that paid another account, is not sent back", async () => {
  const [owed] = (await payWrongly([{ mils: 20 }])) as [TransferToReturn];
  const invented = { ...owed, txId: "ab".repeat(20) };
  await expect(open().giveBack(invented)).rejects.toMatchObject({ code: "payment_not_found" });
  const others = open({ account: "bob", activeKey: wifOf("bob") });
  await expect(others.giveBack(owed)).rejects.toMatchObject({ code: "not_paid_to_account" });
  expect(await open().owed()).toEqual([owed]);
  expect(await others.owed()).toEqual([]);
});
