import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { networkNames } from "#lib/chains.ts";
import { createHiveClient, type HiveClient } from "#lib/hive/client.ts";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import { readStatement } from "#lib/x402/account-statement.ts";
import { createPacedRefunds } from "#lib/x402/refunds/paced-refunds.ts";
import { createReturnBook } from "#lib/x402/return-book.ts";
import { memoOfTicket } from "#lib/x402/ticket-memo.ts";
import { claimRequest, sendTransfer } from "../../harness/send-transfer.ts";
import { startBusyNodes } from "../../harness/start-busy-nodes.ts";
import { startFacilitator } from "../../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";
import { wifOf } from "../../harness/start-shop.ts";

const AFTER_FORGETTING = 30;

let chain: SandboxChain;
let ends: Array<() => unknown>;
beforeEach(async () => {
  ends = [];
  chain = await startSandboxChain({ extraNodes: 1 });
  await chain.setLag(0);
  await chain.setAccount({ name: "shop", hbdMils: 1000 });
  await chain.produceBlocks(5);
});
afterEach(async () => {
  for (const end of ends.toReversed()) await end();
  await chain.close();
});

/** Returns a client of nodes at which the account does so much else between its transfers. */
async function openClient(others: number): Promise<HiveClient> {
  const { client, close } = await startBusyNodes(chain, others);
  ends.push(close);
  return client;
}
async function openFacilitator(client: HiveClient, options: { sweeps?: string } = {}) {
  const facilitator = await startFacilitator(chain, { client, pollMs: 0, ...options });
  ends.push(() => facilitator.close());
  return facilitator;
}
/** Opens refunds on a store of their own. */
function openRefunds(client: HiveClient) {
  const store = createSqliteStore({ dataDir: mkdtempSync(join(tmpdir(), "busy-")) });
  const refunds = createPacedRefunds(
    { account: "shop", activeKey: wifOf("shop"), store, client },
    { waitMs: 2000, pollMs: 20 },
  );
  ends.push(
    () => store.close(),
    () => refunds.close(),
  );
  return refunds;
}
const networkOf = () => networkNames(chain.chainId)[0];
function createClaim(endMs?: number) {
  const claim = randomBytes(32).toString("base64url");
  return { memo: memoOfTicket(claim), request: claimRequest(claim, { network: networkOf(), endMs }) };
}
async function pay(transfer: { memo: string; mils?: number; from?: string }) {
  const txId = await sendTransfer(chain, transfer);
  await chain.produceBlocks();
  return txId;
}
async function historyOfShop() {
  const params = ["shop", -1, 1000];
  type Entry = [number, { trx_id: string; block: number; op: [string, { from: string }] }];
  return (await chain.call("condenser_api.get_account_history", params)) as Entry[];
}
const sentByShop = async () => (await historyOfShop()).filter(([, { op }]) => op[1].from === "shop").length;

/** Fewer operations than a node looks at between two transfers, so that pages are short; and more, so that some are empty. */
const busy = [
  ["1500 other operations", 1500],
  ["4500 other operations", 4500],
] as const;

test.each(busy)("a transfer before a restart is found behind %s of its payee", async (_, others) => {
  const { memo, request } = createClaim();
  await pay({ memo });
  await pay({ memo: "rent" });
  await chain.produceBlocks(100);
  const { verify } = await openFacilitator(await openClient(others));
  expect(await verify(request)).toEqual({ isValid: true, payer: "alice" });
});

test.each(busy)("an unpaid claim is answered payment_not_seen behind %s of its payee", async (_, others) => {
  const { request } = createClaim();
  await pay({ memo: "rent" });
  const { verify } = await openFacilitator(await openClient(others));
  expect(await verify(request)).toEqual({ isValid: false, invalidReason: "payment_not_seen" });
});

test.each(busy)("a wrong transfer is given back once behind %s of its payee", async (_, others) => {
  const { memo } = createClaim();
  const txId = await pay({ memo, mils: 40 });
  const blockNum = (await historyOfShop()).at(-1)?.[1].block ?? 0;
  const client = await openClient(others);
  const wrong = { txId, operation: 0, blockNum, payer: "alice", amount: "0.040 HBD" };
  const giving = openRefunds(client).giveBack({ ...wrong, cause: "paid_too_little" });
  await expect(giving).resolves.toMatchObject({ to: "alice", amount: "0.040 HBD" });
  await chain.produceBlocks(AFTER_FORGETTING);
  await pay({ memo: "hello", from: "bob" });
  await expect(openRefunds(client).giveBack({ ...wrong, cause: "paid_too_little" })).rejects.toMatchObject({
    code: "already_refunded",
  });
  expect(await sentByShop()).toBe(1);
});

test.each(busy)("a refund that another store has made is not repeated behind %s", async (_, others) => {
  const { memo } = createClaim();
  const txId = await pay({ memo });
  const plain = createHiveClient({ nodes: chain.urls, chainId: chain.chainId });
  ends.push(() => plain.close());
  expect(await openRefunds(plain).refund(txId, "first")).toMatchObject({ to: "alice" });
  await chain.produceBlocks(AFTER_FORGETTING);
  await pay({ memo: "hello", from: "bob" });
  const refunds = openRefunds(await openClient(others));
  await expect(refunds.refund(txId, "second")).rejects.toMatchObject({ code: "already_refunded" });
  expect(await sentByShop()).toBe(1);
});

test.each(busy)("a transfer whose claim is never presented is swept behind %s", async (_, others) => {
  const { memo } = createClaim(Date.now() + 900_000);
  const txId = await pay({ memo });
  await pay({ memo: "rent" });
  await chain.advanceTime(50 * 3600);
  await chain.produceBlocks(30);
  const facilitator = await openFacilitator(await openClient(others), { sweeps: "shop" });
  await facilitator.recover();
  const owed = createReturnBook(facilitator.store, { network: networkOf(), account: "shop" });
  expect(await owed.list()).toMatchObject([{ txId, cause: "paid_too_late" }]);
});

test.each(busy)("an account's statement lists its payments behind %s", async (_, others) => {
  const txIds = [await pay(createClaim()), await pay(createClaim())];
  const { payments } = await readStatement(await openClient(others), "shop", 10);
  expect(payments.map(({ txId }) => txId)).toEqual(txIds.toReversed());
});
