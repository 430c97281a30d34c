import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { secretOf, signTransaction, transferOf } from "../../harness/sign-transaction.ts";
import { callRpc, type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
beforeEach(async () => {
  chain = await startSandboxChain({ extraNodes: 1 });
});
afterEach(() => chain.close());

const VERSION = "database_api.get_version";
const BROADCAST = "condenser_api.broadcast_transaction";
const version = (node = 0, signal?: AbortSignal) =>
  fetch(chain.urls[node] ?? "", {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: VERSION, params: {} }),
    ...(signal && { signal }),
  });
const sign = (memo: string) =>
  signTransaction(chain, [transferOf("alice", "bob", 1, memo)], { keys: [secretOf("alice", "active")] });
const statusOf = async (id: string) => {
  const found = await chain.call("transaction_status_api.find_transaction", { transaction_id: id });
  return (found as { status: string }).status;
};
type Properties = {
  head_block_number: number;
  head_block_id: string;
  time: string;
  last_irreversible_block_num: number;
};
const properties = async (node = 0) =>
  (await chain.call("condenser_api.get_dynamic_global_properties", [], node)) as Properties;

describe("a misbehaving node", () => {
  test("cuts the connection for a given number of calls, only at its own address", async () => {
    await chain.setFault({ kind: "cut", times: 2 });
    await expect(version()).rejects.toThrow();
    expect((await version(1)).status).toBe(200);
    await expect(version()).rejects.toThrow();
    expect((await version()).status).toBe(200);
  });

  test.each([
    [429, "Too many requests"],
    [503, "<html>upstream down</html>"],
    [200, "<html>a page</html>"],
  ])("answers %i with %s", async (status, body) => {
    await chain.setFault({ kind: "answer", status, body });
    const response = await version();
    expect([response.status, await response.text()]).toEqual([status, body]);
    await chain.clearFaults();
    expect(await (await version()).json()).toMatchObject({ id: 7 });
  });

  test("hangs without an answer", async () => {
    await chain.setFault({ kind: "hang", times: 1 });
    await expect(version(0, AbortSignal.timeout(300))).rejects.toThrow("timeout");
    expect((await version()).status).toBe(200);
  });

  test("answers late", async () => {
    await chain.setFault({ kind: "delay", delayMs: 400 });
    await expect(version(0, AbortSignal.timeout(100))).rejects.toThrow("timeout");
    expect((await version()).status).toBe(200);
  });

  test("answers the chosen methods with a given error", async () => {
    const error = { code: -32603, message: "Unable to map request to endpoint." };
    await chain.setFault({ kind: "refuse", error, method: "database_api.*" });
    expect(await callRpc(chain.url, VERSION, {})).toEqual({ jsonrpc: "2.0", error, id: 1 });
    expect((await callRpc(chain.url, "condenser_api.get_version", [])).error).toBeUndefined();
  });

  test("answers with a given false result", async () => {
    await chain.setFault({ kind: "lie", method: BROADCAST, result: {} });
    const { id, json } = await sign("swallowed");
    expect(await callRpc(chain.url, BROADCAST, [json])).toEqual({ jsonrpc: "2.0", result: {}, id: 1 });
    expect(await statusOf(id)).toBe("unknown");
  });

  test("shows an outdated head", async () => {
    await chain.produceBlocks(10);
    await chain.setFault({ kind: "stale", seconds: 12 });
    const [stale, fresh] = [await properties(0), await properties(1)];
    expect(fresh.head_block_number - stale.head_block_number).toBe(4);
    expect(Date.parse(fresh.time) - Date.parse(stale.time)).toBe(12_000);
    expect(Number.parseInt(stale.head_block_id.slice(0, 8), 16)).toBe(stale.head_block_number);
  });

  test.each(["cut", "hang"] as const)("accepts a transaction and then loses the answer (%s)", async (by) => {
    await chain.setFault({ kind: "lose_answer", by, method: BROADCAST, times: 1 });
    const { id, json } = await sign("lost answer");
    const sent = fetch(chain.url, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: BROADCAST, params: [json] }),
      signal: AbortSignal.timeout(500),
    });
    await expect(sent).rejects.toThrow();
    expect(await statusOf(id)).toBe("within_mempool");
    expect((await callRpc(chain.url, BROADCAST, [json])).error?.message).toContain("Duplicate");
  });

  test("misbehaves from the start if configured to", async () => {
    const other = await startSandboxChain({ faults: [{ kind: "cut", method: VERSION, times: 1 }] });
    await expect(callRpc(other.url, VERSION, {})).rejects.toThrow();
    expect((await callRpc(other.url, VERSION, {})).error).toBeUndefined();
    await other.close();
  });
});

describe("a chain with faults", () => {
  test("leaves transactions waiting if its blocks include none", async () => {
    await chain.holdTransactions(true);
    const { id, json } = await sign("held");
    await chain.call(BROADCAST, [json]);
    await chain.produceBlocks(3);
    expect(await statusOf(id)).toBe("within_mempool");
    await chain.holdTransactions(false);
    await chain.produceBlocks();
    expect(await statusOf(id)).toBe("within_reversible_block");
  });

  test("keeps irreversibility behind the head by a given lag", async () => {
    await chain.setLag(5);
    const { id, json } = await sign("lag");
    await chain.call(BROADCAST, [json]);
    await chain.produceBlocks(5);
    expect(await statusOf(id)).toBe("within_reversible_block");
    await chain.produceBlocks();
    expect(await statusOf(id)).toBe("within_irreversible_block");
  });

  test("returns a transaction to the pool on a fork, and includes it again in another block", async () => {
    const { id, json } = await sign("forked");
    await chain.call(BROADCAST, [json]);
    await chain.produceBlocks();
    const before = await properties();
    await chain.fork();
    expect(await statusOf(id)).toBe("within_mempool");
    expect((await properties()).head_block_number).toBe(before.head_block_number - 1);
    await chain.produceBlocks();
    const after = await properties();
    expect(after.head_block_number).toBe(before.head_block_number);
    expect(after.head_block_id).not.toBe(before.head_block_id);
    expect(await statusOf(id)).toBe("within_reversible_block");
  });

  test("can lose a transaction for good in a fork, and returns its money", async () => {
    const { id, json } = await sign("lost in a fork");
    await chain.call(BROADCAST, [json]);
    await chain.produceBlocks();
    await chain.fork({ losesTransactions: true });
    expect(await statusOf(id)).toBe("unknown");
    const [alice] = (await chain.call("condenser_api.get_accounts", [["alice"]])) as [
      { hbd_balance: string },
    ];
    expect(alice.hbd_balance).toBe("100.000 HBD");
  });

  test("voids transactions that refer to a block lost in a fork", async () => {
    await chain.produceBlocks();
    const { json } = await sign("refers to the lost block");
    await chain.fork();
    await chain.produceBlocks();
    expect((await callRpc(chain.url, BROADCAST, [json])).error?.data?.name).toBe(
      "transaction_tapos_exception",
    );
  });

  test("refuses to undo irreversible blocks", async () => {
    await chain.produceBlocks(3);
    await expect(chain.fork({ blocks: 2 })).rejects.toThrow("irreversible");
  });

  test("produces blocks by the clock until it is paused", async () => {
    const clocked = await startSandboxChain({ blockIntervalMs: 20 });
    const head = async () =>
      ((await clocked.call("condenser_api.get_dynamic_global_properties", [])) as Properties)
        .head_block_number;
    await expect.poll(head).toBeGreaterThan(3);
    await clocked.pause(true);
    const paused = await head();
    await clocked.produceBlocks(2);
    expect(await head()).toBe(paused + 2);
    await clocked.pause(false);
    await expect.poll(head).toBeGreaterThan(paused + 3);
    await clocked.close();
  });
});

test("the fault controls do not exist while the dev API is off", async () => {
  const plain = await startSandboxChain({ isDevApiOn: false });
  const { error } = await callRpc(plain.url, "dev_api.produce_blocks", {});
  expect(error).toMatchObject({
    code: -32002,
    message: expect.stringContaining("Could not find API dev_api"),
  });
  const { result } = await callRpc(plain.url, "jsonrpc.get_methods", []);
  expect((result as string[]).filter((name) => name.startsWith("dev_api."))).toEqual([]);
  await plain.close();
});

test("an unknown kind of fault is refused", async () => {
  const { error } = await callRpc(chain.url, "dev_api.set_fault", { kind: "explode" });
  expect(error?.data?.name).toBe("bad_cast_exception");
});
