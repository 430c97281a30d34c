import { afterEach, describe, expect, test } from "vitest";
import { createHiveClient } from "../../../lib/hive/client.ts";
import { findTransaction, isSamePlace, mergeStatus } from "../../../lib/hive/transaction-status.ts";
import { type ScriptedReply, startScriptedNode } from "../../harness/start-scripted-node.ts";

const chainId = "c0de".padEnd(64, "0");
const wanted = { id: "a".repeat(40), expirationMs: Date.UTC(2026, 0, 1) };
const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Creates a client of nodes that answer by method. A method without an answer here is not served. */
async function clientOf(...nodes: Array<Record<string, ScriptedReply>>) {
  const unknown = { error: { code: -32002, message: "Could not find method" } };
  const started = await Promise.all(
    nodes.map((replies) => startScriptedNode(chainId, ({ method }) => replies[method] ?? unknown)),
  );
  const client = createHiveClient({ nodes: started.map(({ url }) => url), chainId });
  closing.push(...started.map((node) => node.close), client.close);
  return { client, nodes: started };
}

const STATUS = "transaction_status_api.find_transaction";
const HISTORY = "account_history_api.get_transaction";
const status = (text: string, more: object = {}) => ({ result: { status: text, ...more } });
const unknownTransaction = { error: { code: -32003, message: `Unknown Transaction ${wanted.id}` } };

describe("a transaction's status", () => {
  test.each([
    ["within_reversible_block", { block_num: 7 }, { kind: "included", blockNum: 7, isIrreversible: false }],
    ["within_irreversible_block", { block_num: 7 }, { kind: "included", blockNum: 7, isIrreversible: true }],
    ["within_mempool", {}, { kind: "mempool" }],
    ["unknown", {}, { kind: "unknown" }],
    ["expired_reversible", {}, { kind: "unknown" }],
    ["expired_irreversible", {}, { kind: "gone" }],
  ])("is read from the node's status %s", async (text, more, expected) => {
    const { client, nodes } = await clientOf({ [STATUS]: status(text, more) });
    expect(await findTransaction(client, wanted)).toEqual(expected);
    expect(nodes[0]?.calls[0]?.params).toEqual({
      transaction_id: wanted.id,
      expiration: "2026-01-01T00:00:00",
    });
  });

  test("is looked up in the history when it is too old or the node serves no status", async () => {
    const found = { result: { transaction_id: wanted.id, block_num: 9 } };
    const expected = { kind: "included", blockNum: 9, isIrreversible: false };
    const ways: Array<Record<string, ScriptedReply>> = [
      { [STATUS]: status("too_old"), [HISTORY]: found },
      { [HISTORY]: found },
      { "condenser_api.get_transaction": found },
    ];
    for (const replies of ways) {
      const { client } = await clientOf(replies);
      expect(await findTransaction(client, wanted)).toEqual(expected);
    }
    const { client } = await clientOf({ [STATUS]: status("too_old"), [HISTORY]: unknownTransaction });
    expect(await findTransaction(client, wanted)).toEqual({ kind: "unknown" });
  });

  describe("by agreement of two nodes", () => {
    const judge = async (...nodes: Array<Record<string, ScriptedReply>>) => {
      const { client } = await clientOf(...nodes);
      return mergeStatus(
        await client.agree((node) => findTransaction(node, wanted), { isSame: isSamePlace }),
      );
    };
    const at = (text: string, block_num = 7) => ({ [STATUS]: status(text, { block_num }) });
    const found = { result: { transaction_id: wanted.id, block_num: 9 } };
    const included = (blockNum: number) => ({ kind: "included", blockNum, isIrreversible: false });
    const unavailable = { code: "chain_unavailable" };

    test("is looked up in the history of each node that lacks it or serves no status", async () => {
      const old = { [STATUS]: status("too_old"), [HISTORY]: found };
      const young = at("within_irreversible_block", 9);
      const pairs: Array<Array<Record<string, ScriptedReply>>> = [
        [old, old],
        [old, young],
        [{ [HISTORY]: found }, { "condenser_api.get_transaction": found }],
      ];
      for (const nodes of pairs) expect(await judge(...nodes)).toEqual(included(9));
      expect(await judge({ [HISTORY]: unknownTransaction }, { [HISTORY]: unknownTransaction })).toEqual({
        kind: "unknown",
      });
    });

    test("is unavailable while only one node has the transaction", async () => {
      const pairs: Array<Array<Record<string, ScriptedReply>>> = [
        [at("within_irreversible_block"), at("expired_irreversible")],
        [at("expired_reversible"), at("within_mempool")],
        [at("within_reversible_block"), at("unknown")],
        [{ [HISTORY]: unknownTransaction }, { [HISTORY]: found }],
      ];
      for (const nodes of pairs) await expect(judge(...nodes)).rejects.toMatchObject(unavailable);
      expect(await judge(at("expired_reversible"), at("expired_irreversible"))).toEqual({ kind: "unknown" });
    });

    test("is included only when two nodes name the same block", async () => {
      const block = "within_reversible_block";
      expect(await judge(at(block, 7), at(block, 7))).toEqual(included(7));
      await expect(judge(at(block, 7), at(block, 8))).rejects.toMatchObject(unavailable);
      expect(await judge(at(block, 7), at(block, 8), at(block, 8))).toEqual(included(8));
    });

    test("is irreversible only when both nodes say so, and gone when both say that it expired for good", async () => {
      const [reversible, final] = ["within_reversible_block", "within_irreversible_block"];
      expect(await judge(at(final), at(final))).toEqual({ ...included(7), isIrreversible: true });
      expect(await judge(at(final), at(reversible))).toEqual(included(7));
      expect(await judge(at(reversible), at(final))).toEqual(included(7));
      expect(await judge(at("expired_irreversible"), at("expired_irreversible"))).toEqual({ kind: "gone" });
    });
  });
});
