import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { networkNames } from "#lib/chains.ts";
import { createHiveClient } from "#lib/hive/client.ts";
import { createChainClock } from "#lib/x402/facilitator/chain-clock.ts";
import { createTransferIndex } from "#lib/x402/facilitator/transfer-index.ts";
import { memoOfTicket } from "#lib/x402/ticket-memo.ts";
import { claimRequest, sendTransfer, sendTransfers } from "../../../harness/send-transfer.ts";
import { signPayment } from "../../../harness/sign-payment.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { callRpc, type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";
import { startScriptedNode } from "../../../harness/start-scripted-node.ts";

const DAY_MS = 24 * 3_600_000;
const BLOCK = "condenser_api.get_block";

let chain: SandboxChain;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
beforeEach(async () => {
  chain = await startSandboxChain({ extraNodes: 1 });
  await chain.produceBlocks(5);
  facilitator = await startFacilitator(chain, { pollMs: 0 });
});
afterEach(async () => {
  await facilitator.close();
  await chain.close();
});

/** Creates a claim with its memo, and the request about it. */
function createClaim(options: { endMs?: number; finality?: string } = {}) {
  const claim = randomBytes(32).toString("base64url");
  const [network] = networkNames(chain.chainId);
  const requestUntil = (endMs?: number) => claimRequest(claim, { network, endMs });
  const request = requestUntil(options.endMs);
  Object.assign(request.paymentRequirements.extra, { finality: options.finality });
  return { memo: memoOfTicket(claim), request, requestUntil };
}
/** Sends transfers of one transaction, and puts them into a block. */
async function pay(...transfers: Parameters<typeof sendTransfers>[1]) {
  const txId = await sendTransfers(chain, transfers);
  await chain.produceBlocks();
  return txId;
}

describe("a claim", () => {
  test("settles with the transaction, the operation and the payer of its transfer, once", async () => {
    const { memo, request } = createClaim();
    expect(await facilitator.verify(request)).toEqual({ isValid: false, invalidReason: "payment_not_seen" });
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "payment_not_seen" });
    const txId = await pay({ memo: "thanks" }, { memo });
    expect(await facilitator.verify(request)).toEqual({ isValid: true, payer: "alice" });
    expect(await facilitator.settle(request)).toMatchObject({
      ...{ success: true, txId, operation: 1, payer: "alice" },
    });
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "payment_replayed" });
    expect(await facilitator.verify(request)).toMatchObject({ invalidReason: "payment_replayed" });
  });

  test("settles again for a repeat with its key, and for no other key", async () => {
    const { memo, request } = createClaim();
    await pay({ memo });
    const settleAs = (idempotencyKey: string) => facilitator.settle(request, { idempotencyKey });
    const first = await settleAs("order-1");
    expect(first).toMatchObject({ success: true });
    expect(await settleAs("order-1")).toEqual(first);
    expect(await settleAs("order-2")).toMatchObject({ errorReason: "payment_replayed" });
  });

  test("settles for one of many callers at once", async () => {
    const { memo, request } = createClaim();
    await pay({ memo });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        facilitator.settle(request, { idempotencyKey: `order-${index}` }),
      ),
    );
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
  });

  test("is not settled for a caller that has disconnected", async () => {
    const { memo, request } = createClaim();
    await pay({ memo });
    const gone = AbortSignal.abort();
    expect(await facilitator.settle(request, { signal: gone })).toMatchObject({ success: false });
    expect(await facilitator.settle(request)).toMatchObject({ success: true });
  });

  test("is not settled by a transfer to another account, or from the payee itself", async () => {
    const { memo, request } = createClaim();
    await pay({ memo, to: "bob" });
    await chain.setAccount({ name: "shop", hbdMils: 50 });
    await pay({ memo, from: "shop" });
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "payment_not_seen" });
  });

  test("counts the first of two payers' transfers, and owes the other's back", async () => {
    const { memo, request } = createClaim();
    await pay({ memo, from: "bob" });
    const txId = await pay({ memo });
    expect(await facilitator.settle(request)).toMatchObject({
      ...{ success: true, payer: "bob" },
      toReturn: [{ txId, operation: 0, payer: "alice", amount: "0.050 HBD", cause: "paid_twice" }],
    });
  });

  test("with an account to return to marks that account's transfer alone as owed back, for good", async () => {
    const { memo, request } = createClaim();
    const txId = await pay({ memo });
    const returnTo = (payer: unknown) => {
      const { extra, ...requirements } = request.paymentRequirements;
      return { ...request, paymentRequirements: { ...requirements, extra: { ...extra, returnTo: payer } } };
    };
    expect(await facilitator.settle(returnTo("bob"))).toMatchObject({ errorReason: "payment_not_seen" });
    expect(await facilitator.settle(returnTo(1))).toMatchObject({ errorReason: "invalid_payload" });
    expect(await facilitator.verify(request)).toMatchObject({ isValid: true });
    const owed = { errorReason: "paid_twice", toReturn: [{ txId, payer: "alice", cause: "paid_twice" }] };
    for (const one of [returnTo("alice"), returnTo("alice"), request])
      expect(await facilitator.settle(one)).toMatchObject({ success: false, ...owed });
  });

  test.each([
    { mils: 49, cause: "paid_too_little" },
    { mils: 51, cause: "paid_too_much" },
  ])("of 50 mils is not settled by $mils, which are owed back as $cause", async ({ mils, cause }) => {
    const { memo, request } = createClaim();
    const txId = await pay({ memo, mils });
    const answer = await facilitator.settle(request);
    expect(answer).toMatchObject({ success: false, errorReason: cause, toReturn: [{ txId, cause }] });
    await pay({ memo });
    expect(await facilitator.settle(request)).toMatchObject({ success: true, toReturn: [{ txId, cause }] });
  });

  test("lists each of many wrong transfers, and dust last", async () => {
    const { memo, request } = createClaim();
    await pay(...Array.from({ length: 30 }, () => ({ memo, mils: 1 })), { memo, mils: 60 });
    const { toReturn = [] } = await facilitator.verify(request);
    expect(toReturn).toHaveLength(31);
    expect(toReturn[0]).toMatchObject({ amount: "0.060 HBD", cause: "paid_too_much" });
  });

  test("lists more wrong transfers than an answer holds in turn, and the largest always", async () => {
    const { memo, request } = createClaim();
    await facilitator.verify(request);
    await chain.setAccount({ name: "bob", hbdMils: 1000 });
    await pay(...Array.from({ length: 99 }, () => ({ memo, from: "bob", mils: 1 })), { memo, mils: 60 });
    const listed = new Set<number>();
    // The turn is drawn by the time of a block, so each block has a time of its own.
    for (let blocks = 0; blocks < 60 && listed.size < 100; blocks++) {
      await chain.advanceTime(3);
      await chain.produceBlocks();
      const { toReturn = [] } = await facilitator.verify(request);
      expect(toReturn[0]).toMatchObject({ operation: 99, amount: "0.060 HBD" });
      expect(toReturn.length).toBeLessThanOrEqual(64);
      for (const { operation } of toReturn) listed.add(operation);
    }
    expect(listed.size).toBe(100);
  });

  test("settles by a transfer that came after a stranger's dust in the same block", async () => {
    const { memo, request } = createClaim();
    await facilitator.verify(request);
    await chain.setAccount({ name: "bob", hbdMils: 1000 });
    await sendTransfers(
      chain,
      Array.from({ length: 150 }, () => ({ memo, from: "bob", mils: 1 })),
    );
    const txId = await pay({ memo });
    expect(await facilitator.settle(request)).toMatchObject({ success: true, txId, payer: "alice" });
  });

  test("is not settled by a transfer of HIVE, which is owed back", async () => {
    const { memo, request } = createClaim();
    await chain.setAccount({ name: "alice", milliHive: 1000 });
    await pay({ memo, symbol: "HIVE" });
    expect(await facilitator.verify(request)).toMatchObject({
      invalidReason: "paid_other_coin",
      toReturn: [{ payer: "alice", amount: "0.050 HIVE", cause: "paid_other_coin" }],
    });
  });

  test.each([" ", "\n", "\t\r\n", "\u00a0", "\ufeff"])(
    "is not settled by a transfer with %j around its memo, which is owed back before and after a right one",
    async (space) => {
      const { memo, request } = createClaim();
      await facilitator.verify(request);
      const txId = await pay({ memo: `${memo}${space}` }, { memo: `${space}${memo}`, mils: 60 });
      const transfer = { txId, payer: "alice", cause: "paid_other_memo" };
      const toReturn = [
        expect.objectContaining({ ...transfer, operation: 1, amount: "0.060 HBD" }),
        expect.objectContaining({ ...transfer, operation: 0, amount: "0.050 HBD" }),
      ];
      expect(await facilitator.verify(request)).toEqual({
        ...{ isValid: false, invalidReason: "paid_other_memo", toReturn },
      });
      expect(await facilitator.settle(request)).toMatchObject({ success: false, toReturn });
      const right = await pay({ memo });
      expect(await facilitator.settle(request)).toMatchObject({ success: true, txId: right, toReturn });
    },
  );

  test("that has ended owes a transfer with whitespace around its memo back as such, and a right one as late", async () => {
    const { memo, request } = createClaim({ endMs: Date.now() - DAY_MS - 3_600_000 });
    await pay({ memo: `${memo} ` });
    const spaced = expect.objectContaining({ operation: 0, cause: "paid_other_memo" });
    expect(await facilitator.verify(request)).toEqual({
      ...{ isValid: false, invalidReason: "requirements_expired", toReturn: [spaced] },
    });
    const txId = await pay({ memo });
    expect(await facilitator.verify(request)).toMatchObject({
      invalidReason: "paid_too_late",
      toReturn: expect.arrayContaining([spaced, expect.objectContaining({ txId, cause: "paid_too_late" })]),
    });
  });

  test("settles by a transfer in the history before many with whitespace around its memo, which are owed back", async () => {
    const { memo, request } = createClaim();
    await chain.setAccount({ name: "bob", hbdMils: 1000 });
    const txId = await pay({ memo });
    for (let block = 0; block < 12; block++) await pay({ memo: `${memo} `, from: "bob" });
    await chain.produceBlocks(100);
    expect(await facilitator.settle(request)).toMatchObject({
      ...{ success: true, txId },
      toReturn: expect.arrayContaining([expect.objectContaining({ payer: "bob", cause: "paid_other_memo" })]),
    });
  });

  test("lasts for a day after its end, by the chain's clock", async () => {
    const startMs = Date.now();
    const lasting = createClaim({ endMs: startMs - DAY_MS + 3_600_000 });
    const ended = createClaim({ endMs: startMs - DAY_MS - 3_600_000 });
    expect(await facilitator.verify(ended.request)).toMatchObject({ invalidReason: "requirements_expired" });
    await pay({ memo: lasting.memo }, { memo: ended.memo });
    expect(await facilitator.verify(lasting.request)).toMatchObject({ isValid: true });
    expect(await facilitator.verify(ended.request)).toMatchObject({
      invalidReason: "paid_too_late",
      toReturn: [{ operation: 1, cause: "paid_too_late" }],
    });
  });

  test("that has ended lists HIVE as another coin, and can't be paid again", async () => {
    const { memo, request } = createClaim({ endMs: Date.now() - DAY_MS - 3_600_000 });
    await chain.setAccount({ name: "alice", milliHive: 1000 });
    await pay({ memo, symbol: "HIVE" });
    const inHive = { amount: "0.050 HIVE", cause: "paid_other_coin" };
    expect(await facilitator.verify(request)).toMatchObject({
      ...{ invalidReason: "requirements_expired", toReturn: [inHive] },
    });
    await pay({ memo }, { memo, mils: 60 });
    expect(await facilitator.verify(request)).toMatchObject({
      invalidReason: "paid_too_late",
      toReturn: expect.arrayContaining([
        expect.objectContaining(inHive),
        expect.objectContaining({ amount: "0.050 HBD", cause: "paid_too_late" }),
        expect.objectContaining({ amount: "0.060 HBD", cause: "paid_too_late" }),
      ]),
    });
  });

  test("whose transfer is owed back as too late is never settled by it, even by a clock that is behind", async () => {
    const startMs = Date.now();
    const { memo, request, requestUntil } = createClaim({ endMs: startMs - 2 * DAY_MS });
    const txId = await pay({ memo });
    const late = { toReturn: [{ txId, cause: "paid_too_late" }] };
    expect(await facilitator.verify(request)).toMatchObject({ invalidReason: "paid_too_late", ...late });
    const behind = requestUntil(startMs);
    expect(await facilitator.verify(behind)).toMatchObject({ invalidReason: "paid_too_late", ...late });
    expect(await facilitator.settle(behind)).toMatchObject({ errorReason: "paid_too_late", ...late });
  });

  test("owes nothing back for a second transfer before one of them counts", async () => {
    await chain.setLag(3);
    const { memo, request } = createClaim({ finality: "irreversible" });
    await pay({ memo });
    const txId = await pay({ memo, from: "bob" });
    const pending = await facilitator.verify(request);
    expect(pending).toEqual({ isValid: false, invalidReason: "settlement_pending", payer: "alice" });
    await chain.produceBlocks(5);
    expect(await facilitator.settle(request)).toMatchObject({
      ...{ success: true, payer: "alice" },
      toReturn: [{ txId, cause: "paid_twice" }],
    });
  });

  test("of more than a month ago owes nothing back", async () => {
    const { memo, request } = createClaim({ endMs: Date.now() - 40 * DAY_MS });
    await pay({ memo });
    expect(await facilitator.verify(request)).toEqual({
      isValid: false,
      invalidReason: "requirements_expired",
    });
  });

  test("waits for a block that no fork can undo if its seller requires it", async () => {
    await chain.setLag(3);
    const { memo, request } = createClaim({ finality: "irreversible" });
    await pay({ memo });
    expect(await facilitator.verify(request)).toMatchObject({ invalidReason: "settlement_pending" });
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "settlement_pending" });
    await chain.produceBlocks(4);
    expect(await facilitator.settle(request)).toMatchObject({ success: true });
  });
});

test("a signed payment can't use the memo of a claim", async () => {
  const { memo } = createClaim();
  const { request } = await signPayment(chain, { nonce: memo.slice("x402:".length) });
  expect(await facilitator.verify(request)).toMatchObject({ invalidReason: "nonce_mismatch" });
});

describe("a fork that removes a transfer from its block", () => {
  beforeEach(() => chain.setLag(20));

  test("leaves its claim unpaid if it was not settled", async () => {
    const { memo, request } = createClaim();
    await pay({ memo });
    expect(await facilitator.verify(request)).toMatchObject({ isValid: true });
    await chain.fork({ losesTransactions: true });
    await chain.produceBlocks(2);
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "payment_not_seen" });
  });

  test("leaves its claim pending if it was settled, until the transfer is in a block again", async () => {
    const { memo, request } = createClaim();
    const txId = await pay({ memo });
    const settle = () => facilitator.settle(request, { idempotencyKey: "order-1" });
    expect(await settle()).toMatchObject({ success: true, txId });
    await chain.holdTransactions(true);
    await chain.fork();
    await chain.produceBlocks(2);
    expect(await settle()).toMatchObject({ errorReason: "settlement_pending" });
    await chain.holdTransactions(false);
    await chain.produceBlocks();
    expect(await settle()).toMatchObject({ success: true, txId });
  });
});

describe("a transfer of the time before this process", () => {
  beforeEach(() => chain.setLag(0));

  test("is found in the history of its payee", async () => {
    const { memo, request } = createClaim();
    const txId = await pay({ memo });
    await chain.produceBlocks(100);
    expect(await facilitator.settle(request)).toMatchObject({ success: true, txId, blockNum: 7 });
  });

  test("that was settled then is settled again for the key of that time alone", async () => {
    const { memo, request } = createClaim();
    await pay({ memo });
    const former = await startFacilitator(chain, { pollMs: 0, store: facilitator.store });
    const first = await former.settle(request, { idempotencyKey: "order-1" });
    await former.close();
    await chain.produceBlocks(100);
    expect(await facilitator.settle(request, { idempotencyKey: "order-1" })).toEqual(first);
    expect(await facilitator.settle(request)).toMatchObject({ errorReason: "payment_replayed" });
  });

  test("is found after a pause in which many blocks went by", async () => {
    const { memo, request } = createClaim();
    expect(await facilitator.verify(request)).toMatchObject({ invalidReason: "payment_not_seen" });
    await pay({ memo });
    await chain.produceBlocks(100);
    expect(await facilitator.verify(request)).toMatchObject({ isValid: true });
  });
});

describe("a transfer that one of two nodes shows", () => {
  test("does not count if the other node has the block without it", async () => {
    const { memo, request } = createClaim();
    const txId = await sendTransfer(chain, { memo });
    await chain.holdTransactions(true);
    await chain.produceBlocks();
    const block = (await chain.call(BLOCK, [7])) as { transactions: unknown[]; transaction_ids: string[] };
    const operation = ["transfer", { from: "alice", to: "shop", amount: "0.050 HBD", memo }];
    const result = { ...block, transactions: [{ operations: [operation] }], transaction_ids: [txId] };
    await chain.setFault({ kind: "lie", method: BLOCK, result });
    const refused = await facilitator.verify(request).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "chain_unavailable" });
    await chain.clearFaults();
    expect(await facilitator.verify(request)).toMatchObject({ invalidReason: "payment_not_seen" });
  });
});

/** Starts a facilitator that reads these nodes. `countOf` counts their calls of a method with a first parameter. */
async function startReader(nodes: ReadonlyArray<Awaited<ReturnType<typeof startScriptedNode>>>) {
  const client = createHiveClient({ nodes: nodes.map(({ url }) => url), chainId: chain.chainId });
  const { verify, close: closeFacilitator } = await startFacilitator(chain, { client, pollMs: 0 });
  const close = async () => {
    await closeFacilitator();
    await client.close();
    for (const node of nodes) await node.close();
  };
  const countOf = (wanted: string, first: number) =>
    nodes
      .flatMap(({ calls }) => calls)
      .filter(({ method, params }) => method === wanted && (params as unknown[])[0] === first).length;
  return { verify, close, countOf };
}

describe("a chain whose nodes fail to answer for some blocks", () => {
  /** Starts a facilitator whose nodes answer for a block if `isAnswered` returns true for the attempt, from 1 on. */
  async function readBlocksBy(isAnswered: (blockNum: number, attempt: number) => boolean) {
    const nodes = await Promise.all(
      chain.urls.map((url) => {
        const attempts = new Map<number, number>();
        return startScriptedNode(chain.chainId, async ({ method, params }) => {
          const [blockNum] = params as [number];
          if (method === BLOCK) {
            const attempt = (attempts.get(blockNum) ?? 0) + 1;
            attempts.set(blockNum, attempt);
            if (!isAnswered(blockNum, attempt)) return { status: 503, text: "busy" };
          }
          const { result, error } = await callRpc(url, method, params);
          return error ? { error } : { result };
        });
      }),
    );
    return startReader(nodes);
  }
  beforeEach(async () => {
    await chain.setLag(0);
    await chain.produceBlocks(20);
  });

  test("shows a transfer at the first question if every second block needs a second attempt", async () => {
    const reading = await readBlocksBy((blockNum, attempt) => attempt > blockNum % 2);
    const { memo, request } = createClaim();
    await pay({ memo });
    expect(await reading.verify(request)).toMatchObject({ isValid: true });
    await reading.close();
  });

  test("shows its other final blocks once, however often the missing one is asked for", async () => {
    const missing = 15;
    let isBack = false;
    const reading = await readBlocksBy((blockNum) => blockNum !== missing || isBack);
    const { memo, request } = createClaim();
    await pay({ memo });
    for (const _ of [1, 2, 3])
      await expect(reading.verify(request)).rejects.toMatchObject({ code: "chain_unavailable" });
    isBack = true;
    expect(await reading.verify(request)).toMatchObject({ isValid: true });
    expect([missing - 1, missing + 1].map((block) => reading.countOf(BLOCK, block))).toEqual([2, 2]);
    await reading.close();
  });
});

describe("a history", () => {
  type Answer = { result: unknown } | { error: { code: number; message: string } };
  type Block = { transactions: Array<{ operations: unknown[] }> };
  type Entry = [number, { block: number; op: [string, { memo: string; amount: string }] }];

  /**
   * Starts a facilitator whose nodes answer `history` for the payee's history, and the chain's answers else. The nodes
   * count from 0.
   */
  async function readHistoryBy(
    history: (real: Entry[], node: number) => Entry[] | Promise<Entry[]>,
    blockOf: (real: Block) => Block = (real) => real,
  ) {
    const nodes = await Promise.all(
      chain.urls.map((url, node) =>
        startScriptedNode(chain.chainId, async ({ method, params }): Promise<Answer> => {
          const unknown = { code: -32601, message: "Method not found" };
          if (method === "account_history_api.get_account_history") return { error: unknown };
          const { result, error } = await callRpc(url, method, params);
          if (error) return { error };
          const isHistory = method === "condenser_api.get_account_history";
          if (method === BLOCK && result) return { result: blockOf(result as Block) };
          return { result: isHistory ? await history(result as Entry[], node) : result };
        }),
      ),
    );
    return startReader(nodes);
  }
  const inOrder = (entries: Entry[]): Entry[] => entries.map(([, entry], index) => [index, entry]);
  /** Returns entries in as many blocks as given, from 2 on, which say that the last transfer is there as well. */
  const repeat = (real: Entry[], blocks: number, amount?: string): Entry[] => {
    const [[, last]] = real.slice(-1) as [Entry];
    const [name, transfer] = last.op;
    const op: typeof last.op = [name, { ...transfer, amount: amount ?? transfer.amount }];
    return Array.from({ length: blocks }, (_, index) => [index, { ...last, op, block: index + 2 }]);
  };

  beforeEach(() => chain.setLag(0));

  test("that lacks the newest final blocks hides no transfer in them", async () => {
    const { memo, request } = createClaim();
    await chain.produceBlocks(50);
    await pay({ memo });
    const { verify, close } = await readHistoryBy((real) => real.filter(([, { op }]) => op[1].memo !== memo));
    expect(await verify(request)).toEqual({ isValid: true, payer: "alice" });
    await close();
  });

  test("that is behind by many blocks is read again while a transfer is not seen", async () => {
    const { memo, request } = createClaim();
    await pay({ memo });
    await chain.produceBlocks(100);
    let isBehind = true;
    const { verify, close } = await readHistoryBy((real) => (isBehind ? [] : real));
    expect(await verify(request)).toMatchObject({ invalidReason: "payment_not_seen" });
    isBehind = false;
    expect(await verify(request)).toEqual({ isValid: true, payer: "alice" });
    await close();
  });

  test("that was behind for hours is read again as far back as it was behind", async () => {
    const { memo, request } = createClaim();
    await pay({ memo });
    await chain.advanceTime(2 * 3600);
    await chain.produceBlocks(100);
    let isBehind = true;
    const { verify, close } = await readHistoryBy((real) => (isBehind ? [] : real));
    expect(await verify(request)).toMatchObject({ invalidReason: "payment_not_seen" });
    await chain.advanceTime(3 * 3600);
    await chain.produceBlocks();
    isBehind = false;
    expect(await verify(request)).toEqual({ isValid: true, payer: "alice" });
    await close();
  });

  test("with false blocks at one node hides no transfer that the other shows", async () => {
    const { memo, request } = createClaim();
    await chain.produceBlocks(30);
    await pay({ memo });
    await chain.produceBlocks(100);
    const { verify, close } = await readHistoryBy((real, node) =>
      // The other node shows the transfer behind many wrong ones.
      node === 0 ? repeat(real, 100) : inOrder([...repeat(real, 100, "0.001 HBD"), ...real]),
    );
    expect(await verify(request)).toMatchObject({ isValid: true });
    await close();
  });

  test("with wrong transfers in hundreds of blocks leads to the right one at the first question", async () => {
    const { memo, request } = createClaim();
    await chain.produceBlocks(300);
    await pay({ memo });
    await chain.produceBlocks(100);
    const { verify, close } = await readHistoryBy((real) =>
      inOrder([...repeat(real, 300, "0.001 HBD"), ...real]),
    );
    expect(await verify(request)).toMatchObject({ isValid: true, payer: "alice" });
    await close();
  });

  test("with wrong transfers in many blocks leads to all of them, some more at each question", async () => {
    const { memo, request } = createClaim();
    for (let block = 0; block < 20; block++) await pay({ memo, mils: 1 });
    await chain.produceBlocks(100);
    const listed = [];
    for (let times = 0; times < 3; times++)
      listed.push((await facilitator.verify(request)).toReturn?.length ?? 0);
    expect(listed).toEqual([8, 16, 20]);
  });

  test("of a month shows what came in time for a claim that is presented days later, which is owed back", async () => {
    const { memo, request } = createClaim({ endMs: Date.now() + 900_000 });
    const txId = await pay({ memo });
    await chain.advanceTime(5 * 24 * 3600);
    await chain.produceBlocks(100);
    expect(await facilitator.verify(request)).toEqual({
      ...{ isValid: false, invalidReason: "paid_too_late" },
      toReturn: [expect.objectContaining({ txId, cause: "paid_too_late" })],
    });
  });

  test("is read for sixty unknown payees a minute, and for known ones as well", async () => {
    const { memo, request } = createClaim();
    await pay({ memo });
    await chain.produceBlocks(100);
    const { verify, close } = await readHistoryBy((real) => real);
    const askFor = (payTo: string) => {
      const { request: other } = createClaim();
      other.paymentRequirements.payTo = payTo;
      return verify(other);
    };
    expect(await verify(request)).toMatchObject({ isValid: true });
    for (let one = 0; one < 59; one++) await askFor(`stranger${one}`);
    await expect(askFor("stranger59")).rejects.toMatchObject({ code: "overloaded" });
    await chain.produceBlocks(100);
    expect(await verify(request)).toMatchObject({ isValid: true });
    await close();
  });

  test("of the account that is swept is read after sixty strangers' ones", async () => {
    const { memo, request } = createClaim();
    await pay({ memo });
    await chain.produceBlocks(100);
    await facilitator.close();
    facilitator = await startFacilitator(chain, { pollMs: 0, sweeps: "shop" });
    const askFor = (payTo: string) => {
      const { request: other } = createClaim();
      other.paymentRequirements.payTo = payTo;
      return facilitator.verify(other);
    };
    for (let one = 0; one < 60; one++) await askFor(`stranger${one}`);
    expect(await facilitator.verify(request)).toMatchObject({ isValid: true });
  });

  test("that strangers' requests keep from being read hides no transfer in newer blocks", async () => {
    const { memo, request } = createClaim();
    const { verify, close } = await readHistoryBy((real) => real);
    for (let one = 0; one < 60; one++) {
      const { request: other } = createClaim();
      other.paymentRequirements.payTo = `stranger${one}`;
      await verify(other);
    }
    await expect(verify(request)).rejects.toMatchObject({ code: "overloaded" });
    await pay({ memo });
    expect(await verify(request)).toMatchObject({ isValid: true });
    await close();
  });

  test("leads to one reading of a final block, however often a claim in it is asked about", async () => {
    const { memo, request } = createClaim();
    await pay({ memo });
    await chain.produceBlocks(100);
    const { verify, close, countOf } = await readHistoryBy((real) => real);
    for (let times = 0; times < 3; times++) expect(await verify(request)).toMatchObject({ isValid: true });
    expect(countOf(BLOCK, 7)).toBe(2);
    await close();
  });

  /** Returns a block whose transactions hold each of their operations 1000 times. */
  const repeatTransfers = (block: Block): Block => ({
    ...block,
    transactions: block.transactions.map(({ operations, ...rest }) => ({
      ...rest,
      operations: operations.flatMap((one) => Array.from({ length: 1000 }, () => one)),
    })),
  });

  test("leads to each of many blocks, even if they hold more transfers than are kept", async () => {
    const { memo, request } = createClaim();
    for (let block = 0; block < 40; block++) await pay({ memo, mils: 1 });
    await chain.produceBlocks(100);
    const { verify, close, countOf } = await readHistoryBy((real) => real, repeatTransfers);
    for (let times = 0; times < 10; times++) await verify(request);
    const blocks = Array.from({ length: 40 }, (_, index) => index + 7);
    expect(blocks.filter((block) => countOf(BLOCK, block) === 0)).toEqual([]);
    await close();
  });

  test("leads to one reading of a final block for all claims in it, at once and later", async () => {
    const claims = [createClaim(), createClaim(), createClaim()];
    await pay(...claims.map(({ memo }) => ({ memo })));
    await chain.produceBlocks(100);
    const { verify, close, countOf } = await readHistoryBy((real) => real);
    const [last, ...first] = claims.map(({ request }) => request);
    const answers = [...(await Promise.all(first.map(verify))), await verify(last as (typeof first)[0])];
    expect(answers).toMatchObject([{ isValid: true }, { isValid: true }, { isValid: true }]);
    expect(countOf(BLOCK, 7)).toBe(2);
    await close();
  });

  test("is read for one unknown payee at a time", async () => {
    let [reading, most] = [0, 0];
    const { verify, close } = await readHistoryBy(async (real) => {
      most = Math.max(most, ++reading);
      await new Promise((resolve) => setImmediate(resolve));
      reading -= 1;
      return real;
    });
    const requests = ["alice", "bob", "shop", "carol"].map((payTo) => {
      const { request } = createClaim();
      request.paymentRequirements.payTo = payTo;
      return request;
    });
    const answers = await Promise.all(requests.map(verify));
    for (const answer of answers) expect(answer).toMatchObject({ invalidReason: "payment_not_seen" });
    expect(most).toBeLessThanOrEqual(2);
    await close();
  });

  test("that goes on for too many pages is no answer", async () => {
    await pay({ memo: "thanks" });
    const { request } = createClaim();
    let index = 1_000_000;
    const { verify, close } = await readHistoryBy((real) => real.map(([, entry]) => [index--, entry]));
    await expect(verify(request)).rejects.toMatchObject({ code: "chain_unavailable" });
    await close();
  });
});

test("one node alone decides about no sent transfer, even with a quorum of one", async () => {
  const { memo, request } = createClaim();
  await pay({ memo });
  for (const api of ["database_api", "condenser_api"])
    await chain.setFault({ kind: "cut", method: `${api}.get_dynamic_global_properties` }, 1);
  const trusting = await startFacilitator(chain, { quorum: 1, pollMs: 0 });
  await expect(trusting.verify(request)).rejects.toMatchObject({ code: "chain_unavailable" });
  await chain.clearFaults(1);
  expect(await trusting.verify(request)).toMatchObject({ isValid: true });
  await trusting.close();
});

test("an index keeps the first 64 transfers of a memo to a payee, and the 64 largest of the others", async () => {
  const client = createHiveClient({ nodes: chain.urls, chainId: chain.chainId });
  const index = createTransferIndex({
    client,
    clock: createChainClock(client, { isOneEnough: false }),
    pollMs: 0,
  });
  const { memo } = createClaim();
  const find = async () =>
    (await index.find({ memo, payTo: "shop", amount: "0.050 HBD", sinceMs: 0 })).transfers;
  expect(await find()).toEqual([]);
  const payMany = (mils: number) => pay(...Array.from({ length: 50 }, () => ({ memo, mils })));
  await pay({ memo, mils: 1, to: "bob" });
  const ids = [await payMany(1), await payMany(2), await payMany(1), await payMany(3)];
  const found = await find();
  const countOf = (id: string | undefined) => found.filter(({ txId }) => txId === id).length;
  expect(ids.map(countOf)).toEqual([50, 28, 0, 50]);
  await client.close();
});

describe("chain calls", () => {
  test.each([1, 200])("read each new block once for all open claims (claims: %d)", async (count) => {
    const nodes = await Promise.all(
      chain.urls.map((url) =>
        startScriptedNode(chain.chainId, async ({ method, params }) => {
          const { result, error } = await callRpc(url, method, params);
          return error ? { error } : { result };
        }),
      ),
    );
    const client = createHiveClient({ nodes: nodes.map(({ url }) => url), chainId: chain.chainId });
    const watching = await startFacilitator(chain, { client, pollMs: 0 });
    const claims = Array.from({ length: count }, () => createClaim());
    const askAll = () => Promise.all(claims.map(({ request }) => watching.verify(request)));
    await askAll();
    for (const { calls } of nodes) calls.splice(0);
    await chain.produceBlocks();
    await askAll();
    const methods = nodes.flatMap(({ calls }) => calls.map(({ method }) => method));
    expect(methods.filter((method) => method === BLOCK)).toHaveLength(2);
    expect(methods.length).toBeLessThan(10);
    await sendTransfers(
      chain,
      claims.slice(0, 20).map(({ memo }) => ({ memo, mils: 50 })),
    );
    await chain.produceBlocks();
    const answers = await askAll();
    expect(answers.filter(({ isValid }) => isValid)).toHaveLength(Math.min(count, 20));
    await watching.close();
    await client.close();
    for (const node of nodes) await node.close();
  });
});
