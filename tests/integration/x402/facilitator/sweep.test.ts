import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { networkNames } from "#lib/chains.ts";
import { createHiveClient } from "#lib/hive/client.ts";
import { createPacedRefunds } from "#lib/x402/refunds/paced-refunds.ts";
import { createReturnBook } from "#lib/x402/return-book.ts";
import { memoOfTicket } from "#lib/x402/ticket-memo.ts";
import { claimRequest, sendTransfers } from "../../../harness/send-transfer.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { callRpc, type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";
import { startScriptedNode } from "../../../harness/start-scripted-node.ts";
import { wifOf } from "../../../harness/start-shop.ts";

const HOUR_SECONDS = 3600;

let chain: SandboxChain;
let first: Awaited<ReturnType<typeof startFacilitator>>;
beforeEach(async () => {
  chain = await startSandboxChain({ extraNodes: 1 });
  await chain.setLag(0);
  await chain.setAccount({ name: "shop", hbdMils: 1000 });
  await chain.produceBlocks(5);
  first = await startFacilitator(chain, { pollMs: 0 });
});
afterEach(async () => {
  await first.close();
  await chain.close();
});

const networkOf = () => networkNames(chain.chainId)[0];
/** Creates a claim that was offered now, with its memo and the request about it. */
function createClaim() {
  const claim = randomBytes(32).toString("base64url");
  const request = claimRequest(claim, { network: networkOf(), endMs: Date.now() + 900_000 });
  return { memo: memoOfTicket(claim), request };
}
async function pay(...transfers: Parameters<typeof sendTransfers>[1]) {
  const txId = await sendTransfers(chain, transfers);
  await chain.produceBlocks();
  return txId;
}
async function passHours(hours: number) {
  await chain.advanceTime(hours * HOUR_SECONDS);
  await chain.produceBlocks(30);
}
const listOwed = () => createReturnBook(first.store, { network: networkOf(), account: "shop" }).list();
/** Sweeps in a new process, which begins where the last one ended. */
async function sweep() {
  const next = await startFacilitator(chain, { pollMs: 0, store: first.store, sweeps: "shop" });
  await next.recover();
  await next.close();
}

test("a transfer whose claim is never presented is owed back after two days, and buys nothing from then on", async () => {
  const { memo, request } = createClaim();
  const txId = await pay({ memo: "thanks" }, { memo });
  await passHours(48);
  await sweep();
  expect(await listOwed()).toEqual([]);
  await passHours(2);
  await sweep();
  expect(await listOwed()).toMatchObject([
    { txId, operation: 1, payer: "alice", amount: "0.050 HBD", cause: "paid_too_late" },
  ]);
  expect(await first.settle(request)).toMatchObject({ errorReason: "paid_too_late" });
});

test("a transfer that has counted is not owed back, but another with the same memo is", async () => {
  const { memo, request } = createClaim();
  await pay({ memo });
  expect(await first.settle(request)).toMatchObject({ success: true });
  const txId = await pay({ memo, from: "bob" });
  await passHours(50);
  await sweep();
  expect(await listOwed()).toMatchObject([{ txId, payer: "bob", cause: "paid_twice" }]);
});

test("a swept transfer of HIVE is owed back as one of another coin, and its claim has ended", async () => {
  const { memo, request } = createClaim();
  await chain.setAccount({ name: "alice", milliHive: 1000 });
  await pay({ memo, symbol: "HIVE" });
  await passHours(50);
  await sweep();
  expect(await listOwed()).toMatchObject([{ amount: "0.050 HIVE", cause: "paid_other_coin" }]);
  expect(await first.verify(request)).toMatchObject({
    ...{ invalidReason: "requirements_expired", toReturn: [{ cause: "paid_other_coin" }] },
  });
});

test("a swept transfer with whitespace around its memo is owed back, and ends no claim", async () => {
  const { memo, request } = createClaim();
  const txId = await pay({ memo: `${memo}\n` });
  await passHours(50);
  await sweep();
  expect(await listOwed()).toMatchObject([{ txId, amount: "0.050 HBD", cause: "paid_other_memo" }]);
  const validBefore = new Date(Date.now() + 60 * HOUR_SECONDS * 1000).toISOString();
  Object.assign(request.paymentRequirements, { validBefore });
  const right = await pay({ memo });
  expect(await first.settle(request)).toMatchObject({ success: true, txId: right });
});

test("a swept transfer is sent back once, however often the sweep is repeated", async () => {
  const { memo } = createClaim();
  const txId = await pay({ memo });
  await passHours(50);
  await sweep();
  const client = createHiveClient({ nodes: chain.urls, chainId: chain.chainId });
  // Enough to send the transfer, whose block comes later.
  const pace = { waitMs: 3000, pollMs: 100 };
  const refunds = createPacedRefunds(
    { account: "shop", activeKey: wifOf("shop"), store: first.store, client },
    pace,
  );
  expect(await refunds.recover()).toMatchObject([{ to: "alice", amount: "0.050 HBD" }]);
  await chain.produceBlocks(30);
  // As if the last process had died before it stored how far it came.
  for (const { key } of await first.store.list("x402:swept:", 10)) await first.store.delete(key);
  await sweep();
  expect(await listOwed()).toEqual([]);
  await refunds.recover();
  const history = JSON.stringify(await chain.call("condenser_api.get_account_history", ["shop", -1, 1000]));
  expect(history.split(`x402:return:${txId}`)).toHaveLength(2);
  await client.close();
});

test("sixty transfers that are owed are sent back in an hour, and the others later", async () => {
  await chain.setAccount({ name: "alice", hbdMils: 1000 });
  await pay(...Array.from({ length: 61 }, () => ({ memo: createClaim().memo, mils: 10 })));
  await passHours(50);
  await sweep();
  const client = createHiveClient({ nodes: chain.urls, chainId: chain.chainId });
  let nowMs = 0;
  const refunds = createPacedRefunds(
    { account: "shop", activeKey: wifOf("shop"), store: first.store, client },
    { waitMs: 0, pollMs: 0, now: () => nowMs },
  );
  expect(await refunds.recover()).toHaveLength(60);
  nowMs = 3_599_999;
  await refunds.recover();
  expect(await refunds.owed()).toHaveLength(1);
  nowMs = 3_600_000;
  await refunds.recover();
  expect(await refunds.owed()).toEqual([]);
  await client.close();
});

test("a sweep of many blocks continues where it ended", async () => {
  for (let block = 0; block < 105; block++) await pay({ memo: createClaim().memo, mils: 10 });
  await passHours(50);
  await sweep();
  expect(await listOwed()).toHaveLength(100);
  await sweep();
  expect(await listOwed()).toHaveLength(105);
});

test("a sweep that a block stops keeps what it found, and continues at that block", async () => {
  let missing = 0;
  const nodes = await Promise.all(
    chain.urls.map((url) =>
      startScriptedNode(chain.chainId, async ({ method, params }) => {
        if (method === "condenser_api.get_block" && (params as unknown[])[0] === missing)
          return { status: 503, text: "busy" };
        const { result, error } = await callRpc(url, method, params);
        return error ? { error } : { result };
      }),
    ),
  );
  const client = createHiveClient({ nodes: nodes.map(({ url }) => url), chainId: chain.chainId });
  const sweepWithout = async (blockNum: number) => {
    missing = blockNum;
    const next = await startFacilitator(chain, { client, pollMs: 0, store: first.store, sweeps: "shop" });
    const error = await next.recover().catch((cause: unknown) => cause);
    await next.close();
    return error;
  };
  const early = await pay({ memo: createClaim().memo });
  const late = await pay({ memo: createClaim().memo });
  const history = (await chain.call("condenser_api.get_account_history", ["shop", -1, 1000])) as Array<
    [number, { trx_id: string; block: number }]
  >;
  const blockOf = (txId: string) => history.find(([, { trx_id }]) => trx_id === txId)?.[1].block ?? 0;
  await passHours(50);
  expect(await sweepWithout(blockOf(late))).toMatchObject({ code: "chain_unavailable" });
  expect(await listOwed()).toMatchObject([{ txId: early }]);
  expect(await sweepWithout(blockOf(early))).toBeUndefined();
  expect((await listOwed()).map(({ txId }) => txId).sort()).toEqual([early, late].sort());
  await client.close();
  for (const node of nodes) await node.close();
});

test("a facilitator sweeps only the named accounts, and refuses a name that no account can have", async () => {
  await pay({ memo: createClaim().memo });
  await passHours(50);
  await first.recover();
  expect(await listOwed()).toEqual([]);
  await expect(startFacilitator(chain, { store: first.store, sweeps: "No Name" })).rejects.toThrow("sweeps");
});
