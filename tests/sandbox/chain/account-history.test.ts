import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { secretOf, signTransaction, transferOf } from "../../harness/sign-transaction.ts";
import { callRpc, type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

type Entry = [number, { trx_id: string; block: number; op: unknown }];

let chain: SandboxChain;
let sent: string[];
beforeEach(async () => {
  chain = await startSandboxChain();
  sent = [];
  for (const mils of [1, 2, 3]) {
    const { id, json } = await signTransaction(chain, [transferOf("alice", "bob", mils, `no ${mils}`)], {
      keys: [secretOf("alice", "active")],
    });
    await chain.call("condenser_api.broadcast_transaction", [json]);
    sent.push(id);
  }
  await chain.produceBlocks();
});
afterEach(() => chain.close());

const old = (...params: unknown[]) =>
  chain.call("condenser_api.get_account_history", params) as Promise<Entry[]>;
const modern = async (params: Record<string, unknown>) =>
  ((await chain.call("account_history_api.get_account_history", params)) as { history: Entry[] }).history;
const all = { account: "bob", start: -1, limit: 1000, include_reversible: true };

describe("an account's history", () => {
  test("includes reversible blocks on request, and only irreversible ones in the old API", async () => {
    expect(await old("bob", -1, 1000)).toEqual([]);
    expect(await modern({ ...all, include_reversible: false })).toEqual([]);
    expect((await modern(all)).map(([, { trx_id }]) => trx_id)).toEqual(sent);
    await chain.produceBlocks();
    expect((await old("bob", -1, 1000)).map(([, { trx_id }]) => trx_id)).toEqual(sent);
  });

  test("shows operations in the form of the requested API, with their position", async () => {
    await chain.produceBlocks();
    const [seq, entry] = (await old("bob", 0, 1))[0] as Entry;
    expect([seq, entry]).toEqual([
      0,
      {
        trx_id: sent[0],
        block: expect.any(Number),
        trx_in_block: 0,
        op_in_trx: 0,
        virtual_op: false,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
        op: ["transfer", { from: "alice", to: "bob", amount: "0.001 HBD", memo: "no 1" }],
      },
    ]);
    const [first] = await modern({ ...all, start: 0, limit: 1 });
    expect(first?.[1].op).toMatchObject({
      type: "transfer_operation",
      value: { amount: { amount: "1", precision: 3, nai: "@@000000013" } },
    });
  });

  test("pages back from a number, and is empty for an unknown account", async () => {
    await chain.produceBlocks();
    const numbers = async (start: number, limit: number) =>
      (await old("alice", start, limit)).map(([seq]) => seq);
    expect(await numbers(-1, 2)).toEqual([1, 2]);
    expect(await numbers(1, 2)).toEqual([0, 1]);
    expect(await numbers(-1, 0)).toEqual([]);
    expect(await old("nobody", -1, 10)).toEqual([]);
  });

  test("can be filtered by the chain's operation numbers", async () => {
    await chain.produceBlocks();
    expect(await old("bob", -1, 10, 4)).toHaveLength(3);
    expect(await old("bob", -1, 10, "4", "0")).toHaveLength(3);
    expect(await old("bob", -1, 10, 1 << 18)).toEqual([]);
    expect(await modern({ ...all, operation_filter_low: 4 })).toHaveLength(3);
    expect(await modern({ ...all, operation_filter_high: 1 })).toEqual([]);
  });

  test("looks at 2000 operations for a filter, and names the next one if none of them matches", async () => {
    await chain.produceBlocks();
    const sendMany = async (transactions: number, size: number) => {
      for (let sent = 0; sent < transactions; sent++) {
        const transfers = Array.from({ length: size }, () => transferOf("alice", "bob", 1, String(sent)));
        const { json } = await signTransaction(chain, transfers, { keys: [secretOf("alice", "active")] });
        await chain.call("condenser_api.broadcast_transaction", [json]);
      }
      await chain.produceBlocks();
    };
    await sendMany(40, 49);
    const filtered = { ...all, operation_filter_low: 1 << 18 };
    expect(await modern(filtered)).toEqual([]);
    await sendMany(1, 43);
    const { error } = await callRpc(chain.url, "account_history_api.get_account_history", filtered);
    expect(error).toMatchObject({
      code: -32003,
      message: expect.stringMatching(/in 2000 operations, to continue searching, set start=5\.$/),
    });
    expect(await modern({ ...filtered, start: 5, limit: 6 })).toEqual([]);
    expect((await modern({ ...all, operation_filter_low: 4 })).length).toBe(1000);
  });

  test("refuses too many entries, a start below the limit, and malformed numbers", async () => {
    const refusal = async (...params: unknown[]) =>
      (await callRpc(chain.url, "condenser_api.get_account_history", params)).error?.message;
    expect(await refusal("bob", -1, 1001)).toMatch(/limit of .* is greater than/);
    expect(await refusal("bob", 1, 3)).toMatch(/start must be greater than or equal to limit-1/);
    expect(await refusal("bob", "x", 3)).toMatch(/Invalid cast/);
    expect(await refusal("bob")).toMatch(/argument/);
  });

  test("drops operations that a fork undid, and continues their numbers from there", async () => {
    const { id, json } = await signTransaction(chain, [transferOf("alice", "dave", 4, "forked")], {
      keys: [secretOf("alice", "active")],
    });
    await chain.call("condenser_api.broadcast_transaction", [json]);
    await chain.produceBlocks();
    const ofDave = () => modern({ ...all, account: "dave" });
    expect((await ofDave()).map(([seq, { trx_id }]) => [seq, trx_id])).toEqual([[0, id]]);
    await chain.fork({ losesTransactions: false });
    expect(await ofDave()).toEqual([]);
    await chain.produceBlocks();
    expect((await ofDave()).map(([seq, { trx_id }]) => [seq, trx_id])).toEqual([[0, id]]);
  });
});
