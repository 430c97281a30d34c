import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { secretOf, signTransaction, transferOf } from "../../harness/sign-transaction.ts";
import { callRpc, type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
beforeEach(async () => {
  chain = await startSandboxChain();
});
afterEach(() => chain.close());

const broadcast = (json: unknown) => callRpc(chain.url, "condenser_api.broadcast_transaction", [json]);
const hbdOf = async (name: string) => {
  const [account] = (await chain.call("condenser_api.get_accounts", [[name]])) as [{ hbd_balance: string }];
  return account.hbd_balance;
};
const statusOf = (transaction_id: string, expiration?: string) =>
  chain.call("transaction_status_api.find_transaction", { transaction_id, expiration });
const keys = [secretOf("alice", "active")];

test("a transfer goes through the pool into a block and becomes irreversible with the next one", async () => {
  const { id, json } = await signTransaction(chain, [transferOf("alice", "dave", 1234, "first")], { keys });
  expect(await statusOf(id)).toEqual({ status: "unknown" });
  expect(await broadcast(json)).toEqual({ jsonrpc: "2.0", result: {}, id: 1 });
  expect(await statusOf(id)).toEqual({ status: "within_mempool" });
  expect(await hbdOf("dave")).toBe("1.234 HBD");
  await chain.produceBlocks();
  const head = (await chain.call("condenser_api.get_dynamic_global_properties", [])) as {
    head_block_number: number;
  };
  const block_num = head.head_block_number;
  expect(await statusOf(id)).toMatchObject({ status: "within_reversible_block", block_num });
  expect((await callRpc(chain.url, "condenser_api.get_transaction", [id])).error?.message).toContain(
    `Unknown Transaction ${id}`,
  );
  expect(
    await chain.call("account_history_api.get_transaction", { id, include_reversible: true }),
  ).toMatchObject({ block_num, transaction_id: id, transaction_num: 0 });
  await chain.produceBlocks();
  expect(await statusOf(id)).toMatchObject({ status: "within_irreversible_block", block_num });
  expect(await chain.call("condenser_api.get_transaction", [id])).toMatchObject({ ...json, block_num });
  expect(await chain.call("condenser_api.get_block", [block_num])).toMatchObject({
    transaction_ids: [id],
    transactions: [json],
  });
});

describe("the two packings", () => {
  test("give a transaction signed in the new packing only its new id", async () => {
    const { id, otherId, json } = await signTransaction(chain, [transferOf("alice", "bob", 1, "hf26")], {
      keys,
      packing: "hf26",
      form: "nai",
    });
    await chain.call("network_broadcast_api.broadcast_transaction", { trx: json, max_block_age: -1 });
    expect(await statusOf(id)).toEqual({ status: "within_mempool" });
    expect(await statusOf(otherId)).toEqual({ status: "unknown" });
  });

  test("execute content twice if it is signed in the old packing and then in the new one", async () => {
    const before = await hbdOf("erin");
    expect(before).toBe("1.000 HBD");
    const operations = [transferOf("alice", "erin", 1, "twice")];
    const legacy = await signTransaction(chain, operations, { keys });
    const hf26 = await signTransaction(chain, operations, { keys, packing: "hf26" });
    expect((await broadcast(legacy.json)).result).toEqual({});
    expect((await broadcast(hf26.json)).result).toEqual({});
    expect(await hbdOf("erin")).toBe("1.002 HBD");
  });

  test("reject content in the old packing after the new one", async () => {
    const operations = [transferOf("alice", "erin", 1, "once")];
    const hf26 = await signTransaction(chain, operations, { keys, packing: "hf26" });
    const legacy = await signTransaction(chain, operations, { keys });
    expect((await broadcast(hf26.json)).result).toEqual({});
    expect((await broadcast(legacy.json)).error?.message).toContain("Duplicate transaction check failed");
  });

  test("treat known content with an invalid signature as a duplicate, before checking the signature", async () => {
    const operations = [transferOf("alice", "erin", 1, "dup before sig")];
    await broadcast((await signTransaction(chain, operations, { keys })).json);
    const forged = await signTransaction(chain, operations, { keys: [secretOf("bob", "active")] });
    expect((await broadcast(forged.json)).error?.message).toContain("Duplicate transaction check failed");
  });
});

describe("transaction lifetimes", () => {
  test("end when an unsent transaction expires: reversibly, until the last irreversible block is past the expiration", async () => {
    const { id, json, expiration } = await signTransaction(chain, [transferOf("alice", "bob", 1, "late")], {
      keys,
    });
    const text = new Date(expiration * 1000).toISOString().slice(0, 19);
    expect(await statusOf(id, text)).toEqual({ status: "unknown" });
    await chain.advanceTime(120);
    await chain.produceBlocks();
    expect(await statusOf(id, text)).toEqual({ status: "expired_reversible" });
    await chain.produceBlocks();
    expect(await statusOf(id, text)).toEqual({ status: "expired_irreversible" });
    expect((await broadcast(json)).error?.data?.name).toBe("transaction_expiration_exception");
  });

  test("end an hour after arrival in the pool, even if the transaction expires later", async () => {
    const { time } = (await chain.call("condenser_api.get_dynamic_global_properties", [])) as {
      time: string;
    };
    const expiration = Date.parse(`${time}Z`) / 1000 + 20_000;
    const { id, json } = await signTransaction(chain, [transferOf("alice", "bob", 1, "an hour")], {
      keys,
      header: { expiration },
    });
    await chain.holdTransactions(true);
    await broadcast(json);
    await chain.produceBlocks();
    expect(await statusOf(id)).toEqual({ status: "within_mempool" });
    await chain.advanceTime(3700);
    await chain.produceBlocks();
    expect(await statusOf(id)).toEqual({ status: "unknown" });
    await chain.holdTransactions(false);
  });
});

test("broadcast_transaction_synchronous returns once a block has the transaction", async () => {
  const { id, json } = await signTransaction(chain, [transferOf("alice", "bob", 1, "sync")], { keys });
  const answer = chain.call("condenser_api.broadcast_transaction_synchronous", [json]);
  while (((await statusOf(id)) as { status: string }).status === "unknown");
  await chain.produceBlocks();
  expect(await answer).toMatchObject({ id, trx_num: 0, expired: false });
});

test("a transfer neither creates nor loses money", async () => {
  await broadcast((await signTransaction(chain, [transferOf("alice", "dave", 1234)], { keys })).json);
  await chain.produceBlocks();
  const names = await chain.call("condenser_api.lookup_accounts", ["", 1000]);
  const accounts = (await chain.call("condenser_api.get_accounts", [names])) as { hbd_balance: string }[];
  const total = accounts.reduce((sum, account) => sum + Number.parseFloat(account.hbd_balance) * 1000, 0);
  expect(Math.round(total)).toBe(161_000);
});

test("a transfer by an account without resource credits is refused", async () => {
  await chain.setAccount({ name: "poor", hbdMils: 1000, resources: { current: 0, max: 0 } });
  const { json } = await signTransaction(chain, [transferOf("poor", "bob", 1)], {
    keys: [secretOf("poor", "active")],
  });
  const { error } = await broadcast(json);
  expect(error).toMatchObject({ code: -32003, data: { code: 4100100, name: "not_enough_rc_exception" } });
  expect(error?.message).toMatch(
    /^payer has not enough RC mana for transaction:has_mana: Account: poor has 0 RC, needs \d+ RC\./,
  );
});

test("no operation of a transaction is executed if one of them fails", async () => {
  const before = [await hbdOf("carol"), await hbdOf("dave")];
  const { json } = await signTransaction(
    chain,
    [transferOf("carol", "dave", 1), transferOf("carol", "dave", 1_000_000_000)],
    { keys: [secretOf("carol", "active")] },
  );
  expect((await broadcast(json)).error?.message).toContain("does not have sufficient funds");
  expect([await hbdOf("carol"), await hbdOf("dave")]).toEqual(before);
});

test("the second of two transfers of the same balance is refused while the first waits", async () => {
  await chain.setAccount({ name: "spender", hbdMils: 1000 });
  const spend = (memo: string) =>
    signTransaction(chain, [transferOf("spender", "bob", 800, memo)], {
      keys: [secretOf("spender", "active")],
    });
  const [first, second] = [await spend("1"), await spend("2")];
  const answers = await Promise.all([broadcast(first.json), broadcast(second.json)]);
  expect(answers.filter(({ error }) => error === undefined)).toHaveLength(1);
  expect(answers.find(({ error }) => error)?.error?.message).toContain("does not have sufficient funds");
});
