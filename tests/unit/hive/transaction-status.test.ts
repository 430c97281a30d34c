import { afterEach, describe, expect, test } from "vitest";
import { createHiveClient } from "../../../lib/hive/client.ts";
import { findTransaction, findTransactionByTwo } from "../../../lib/hive/transaction-status.ts";
import { type ScriptedReply, startScriptedNode } from "../../harness/start-scripted-node.ts";

const chainId = "c0de".padEnd(64, "0");
const wanted = { id: "a".repeat(40), expirationMs: Date.UTC(2026, 0, 1) };
const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A client of nodes that answer by method; what they don't name they do not serve. */
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

describe("where a transaction is", () => {
  test.each([
    ["within_reversible_block", { block_num: 7 }, { kind: "included", blockNum: 7, isIrreversible: false }],
    ["within_irreversible_block", { block_num: 7 }, { kind: "included", blockNum: 7, isIrreversible: true }],
    ["within_mempool", {}, { kind: "mempool" }],
    ["unknown", {}, { kind: "unknown" }],
    ["expired_reversible", {}, { kind: "unknown" }],
    ["expired_irreversible", {}, { kind: "gone" }],
  ])("is read from %s", async (text, more, expected) => {
    const { client, nodes } = await clientOf({ [STATUS]: status(text, more) });
    expect(await findTransaction(client, wanted)).toEqual(expected);
    expect(nodes[0]?.calls[0]?.params).toEqual({
      transaction_id: wanted.id,
      expiration: "2026-01-01T00:00:00",
    });
  });

  test("is looked up in the history when it is too old, or the status is not served", async () => {
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

  test("is looked up in two histories when it is too old for two nodes, or they serve no status", async () => {
    const found = { result: { transaction_id: wanted.id, block_num: 9 } };
    const old = { [STATUS]: status("too_old") };
    const judge = async (...nodes: Array<Record<string, ScriptedReply>>) =>
      findTransactionByTwo((await clientOf(...nodes)).client, wanted);
    const included = { kind: "included", blockNum: 9, isIrreversible: false };
    expect(await judge({ ...old, [HISTORY]: found }, { ...old, [HISTORY]: found })).toEqual(included);
    expect(await judge({ [HISTORY]: found }, { [HISTORY]: found })).toEqual(included);
    expect(await judge({ [HISTORY]: unknownTransaction }, { [HISTORY]: unknownTransaction })).toEqual({
      kind: "unknown",
    });
    expect(await judge({ [HISTORY]: unknownTransaction }, { [HISTORY]: found })).toEqual({
      kind: "unknown",
      isDisputed: true,
    });
  });

  test("is disputed when only one of two nodes has it", async () => {
    const judge = async (one: string, other: string) => {
      const node = (text: string) => ({ [STATUS]: status(text, { block_num: 7 }) });
      return findTransactionByTwo((await clientOf(node(one), node(other))).client, wanted);
    };
    const disputed = { kind: "unknown", isDisputed: true };
    expect(await judge("within_irreversible_block", "expired_irreversible")).toEqual(disputed);
    expect(await judge("expired_reversible", "within_mempool")).toEqual(disputed);
    expect(await judge("expired_reversible", "expired_irreversible")).toEqual({ kind: "unknown" });
  });

  test("is included for two nodes only where both name the same block", async () => {
    const at = (block_num: number) => ({ [STATUS]: status("within_irreversible_block", { block_num }) });
    const judge = async (...nodes: Array<Record<string, ScriptedReply>>) =>
      (await findTransactionByTwo((await clientOf(...nodes)).client, wanted)).kind;
    expect(await judge(at(7), at(7))).toBe("included");
    expect(await judge(at(7), at(8))).toBe("unknown");
    expect(await judge(at(7), { [STATUS]: status("unknown") })).toBe("unknown");
    expect(await judge({ [STATUS]: status("expired_irreversible") }, at(7))).toBe("unknown");
  });

  test("is irreversible for two nodes only where both say so", async () => {
    const at = (text: string) => ({ [STATUS]: status(text, { block_num: 7 }) });
    const judge = async (one: string, other: string) =>
      findTransactionByTwo((await clientOf(at(one), at(other))).client, wanted);
    const [reversible, final] = ["within_reversible_block", "within_irreversible_block"];
    const included = { kind: "included", blockNum: 7 };
    expect(await judge(final, final)).toEqual({ ...included, isIrreversible: true });
    expect(await judge(final, reversible)).toEqual({ ...included, isIrreversible: false });
    expect(await judge(reversible, final)).toEqual({ ...included, isIrreversible: false });
  });

  test("is looked up in two histories when it is too old for one of two nodes", async () => {
    const found = { result: { transaction_id: wanted.id, block_num: 9 } };
    const old = { [STATUS]: status("too_old"), [HISTORY]: found };
    const young = { [STATUS]: status("within_irreversible_block", { block_num: 9 }), [HISTORY]: found };
    const { client } = await clientOf(old, young);
    expect(await findTransactionByTwo(client, wanted)).toEqual({
      kind: "included",
      blockNum: 9,
      isIrreversible: false,
    });
  });
});
