import { describe, expect, test } from "vitest";
import { z } from "zod";
import { findAccountsCall } from "../../../lib/hive/account-reads.ts";
import { readAccounts } from "../../../lib/hive/accounts.ts";
import { askedFor, chainId, clientOf, closing } from "../../harness/hive-nodes.ts";
import { type ScriptedReply, startScriptedNode } from "../../harness/start-scripted-node.ts";

const authority = { weight_threshold: 1, account_auths: [], key_auths: [] };
const rowOf = (name: string) => ({
  ...{ name, owner: authority, active: authority, posting: authority },
  hbd_balance: "1.000 HBD",
});

/** Starts a node that has accounts of any name, except where `refuse` returns another answer. */
async function startAccounts(refuse: (names: readonly string[]) => ScriptedReply | null = () => null) {
  const asked: string[][] = [];
  const node = await startScriptedNode(chainId, ({ params }) => {
    const { accounts } = params as { accounts: string[] };
    asked.push(accounts);
    return refuse(accounts) ?? { result: { accounts: accounts.map(rowOf) } };
  });
  closing.push(node.close);
  const client = clientOf([node]);
  // The check of the node's chain comes first, and would let the first reads begin one after the other.
  await readAccounts(client, ["first"]);
  asked.splice(0);
  return { asked, client, read: (name: string) => readAccounts(client, [name, "shop"]) };
}

const namesOf = (found: ReadonlyArray<ReadonlyMap<string, unknown>>) =>
  found.map((each) => [...each.keys()].toSorted());

describe("simultaneous reads of accounts", () => {
  test("share one call to the node, and each returns only its own accounts", async () => {
    const { asked, read } = await startAccounts();
    const found = await Promise.all(["alice", "bob", "carol"].map(read));
    expect(namesOf(found)).toEqual([
      ["alice", "shop"],
      ["bob", "shop"],
      ["carol", "shop"],
    ]);
    expect(asked).toEqual([["alice", "shop", "bob", "carol"]]);
  });

  test("are split into calls of at most ten names", async () => {
    const { asked, read } = await startAccounts();
    await Promise.all(Array.from({ length: 24 }, (_, index) => read(`payer-${index}`)));
    expect(asked.map(({ length }) => length)).toEqual([10, 10, 7]);
  });

  test("do not use the answer of a call that was sent before them", async () => {
    let answer = () => {};
    let balance = "1.000 HBD";
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const asked: unknown[] = [];
    const node = await startScriptedNode(chainId, async ({ params }) => {
      const { accounts } = params as { accounts: string[] };
      asked.push(accounts);
      const row = { ...rowOf("alice"), hbd_balance: balance };
      if (asked.length === 1) await held;
      return { result: { accounts: [row] } };
    });
    closing.push(node.close);
    const client = clientOf([node]);
    const earlier = readAccounts(client, ["alice"]);
    await expect.poll(() => asked.length).toBe(1);
    balance = "0.000 HBD";
    expect((await readAccounts(client, ["alice"])).get("alice")?.hbdMils).toBe(0);
    answer();
    expect((await earlier).get("alice")?.hbdMils).toBe(1000);
  });

  const wrong: Array<[string, ScriptedReply]> = [
    [
      "that the chain refuses",
      { error: { code: -32003, message: "Assert", data: { code: 10, name: "x", stack: [{}] } } },
    ],
    ["whose answer has another shape", { result: { accounts: [{ name: "mallory" }] } }],
    ["whose answer is too large", { result: "x".repeat(5 * 1024 * 1024) }],
  ];
  test.each(wrong)("do not fail when another read is about an account %s", async (_, reply) => {
    const { read } = await startAccounts((names) => (names.includes("mallory") ? reply : null));
    const [alice, mallory, bob] = await Promise.allSettled(["alice", "mallory", "bob"].map(read));
    expect(alice).toMatchObject({ status: "fulfilled" });
    expect(mallory).toMatchObject({ status: "rejected" });
    expect(bob).toMatchObject({ status: "fulfilled" });
  });

  test("do not fail when the caller of another read gives up", async () => {
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const node = await startScriptedNode(chainId, async ({ params }) => {
      const { accounts } = params as { accounts: string[] };
      if (!accounts.includes("first")) await held;
      return { result: { accounts: accounts.map(rowOf) } };
    });
    closing.push(node.close);
    const client = clientOf([node]);
    await readAccounts(client, ["first"]);
    const leaving = new AbortController();
    const given = readAccounts(client, ["alice"], { signal: leaving.signal });
    const kept = readAccounts(client, ["bob"]);
    await expect.poll(() => node.calls.length).toBe(2);
    leaving.abort(new Error("given up"));
    await expect(given).rejects.toThrow("given up");
    answer();
    expect([...(await kept).keys()]).toEqual(["bob"]);
  });

  test("go on to the next node when a node answers none of them in time", async () => {
    const silent = await startScriptedNode(chainId, () => "hang");
    closing.push(silent.close);
    const answering = await Promise.all(
      [1, 2].map(() =>
        startScriptedNode(chainId, ({ params }) => ({
          result: { accounts: (params as { accounts: string[] }).accounts.map(rowOf) },
        })),
      ),
    );
    closing.push(...answering.map(({ close }) => close));
    const client = clientOf([silent, ...answering], 300);
    const found = await Promise.all(
      ["alice", "bob"].map((name) => client.agree((node) => readAccounts(node, [name]))),
    );
    expect(found.map(([each]) => [...each.keys()])).toEqual([["alice"], ["bob"]]);
    expect(askedFor(silent, "database_api.find_accounts")).toBe(1);
  });
});

describe("answers about accounts", () => {
  test("are parsed once if two nodes send the same text, and again if the text changes", async () => {
    let balance = "1.000 HBD";
    const start = () =>
      startScriptedNode(chainId, () => ({
        result: { accounts: [{ ...rowOf("alice"), hbd_balance: balance }] },
      }));
    const nodes = [await start(), await start()];
    for (const { close } of nodes) closing.push(close);
    const client = clientOf(nodes);
    let parsed = 0;
    const Counted = z
      .object({ accounts: z.array(z.object({ hbd_balance: z.string() })) })
      .transform(({ accounts }) => {
        parsed++;
        return accounts.map((account) => account.hbd_balance);
      });
    const { method, params } = findAccountsCall(["alice"]);
    const readTwice = () => client.agree((node) => node.read(method, params, Counted));
    expect(await readTwice()).toEqual([["1.000 HBD"], ["1.000 HBD"]]);
    expect(parsed).toBe(1);
    balance = "0.000 HBD";
    expect(await readTwice()).toEqual([["0.000 HBD"], ["0.000 HBD"]]);
    expect(parsed).toBe(2);
  });

  test("are parsed in each shape that a caller reads them in", async () => {
    const { client } = await startAccounts();
    const { method, params } = findAccountsCall(["alice"]);
    const Names = z.object({ accounts: z.array(z.object({ name: z.string() })) });
    const Count = z.object({ accounts: z.array(z.unknown()) }).transform(({ accounts }) => accounts.length);
    expect(await client.read(method, params, Names)).toEqual({ accounts: [{ name: "alice" }] });
    expect(await client.read(method, params, Count)).toBe(1);
  });
});
