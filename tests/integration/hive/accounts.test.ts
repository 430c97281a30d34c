import { afterEach, describe, expect, test } from "vitest";
import { readAccounts, readPostingAuthority } from "../../../lib/hive/accounts.ts";
import { createHiveClient } from "../../../lib/hive/client.ts";
import { clientOf, nodeThat } from "../../harness/hive-nodes.ts";
import { type ScriptedReply, startScriptedNode } from "../../harness/start-scripted-node.ts";

const chainId = "c0de".padEnd(64, "0");
const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function clientAnsweredWith(...replies: ScriptedReply[]) {
  const nodes = await Promise.all(replies.map((reply) => startScriptedNode(chainId, () => reply)));
  const client = createHiveClient({ nodes: nodes.map(({ url }) => url), chainId });
  closing.push(...nodes.map(({ close }) => close), client.close);
  return client;
}

const authorityOf = (weight_threshold: number) => ({ weight_threshold, account_auths: [], key_auths: [] });
/** Returns a node's statement about alice. The threshold identifies the node. */
const saying = (threshold: number): ScriptedReply => {
  const { owner, active, posting } = {
    owner: authorityOf(1),
    active: authorityOf(1),
    posting: authorityOf(threshold),
  };
  return { result: { accounts: [{ name: "alice", owner, active, posting, hbd_balance: "0.000 HBD" }] } };
};
const none: ScriptedReply = { result: { accounts: [] } };

describe("accounts", () => {
  const authority = authorityOf(1);
  const row = { name: "alice", owner: authority, active: authority, posting: authority };

  test("are read by name, with balances in mils, from either form of assets", async () => {
    const nai = { ...row, hbd_balance: { amount: "3465", precision: 3, nai: "@@000000013" } };
    const legacy = { ...row, hbd_balance: "3.465 HBD" };
    for (const answer of [nai, legacy]) {
      const node = await nodeThat(() => ({ result: { accounts: [{ ...answer, name: "mallory" }, answer] } }));
      const found = await readAccounts(clientOf([node]), ["alice", "nobody-x"]);
      expect([...found.keys()]).toEqual(["alice"]);
      expect(found.get("alice")?.hbdMils).toBe(3465);
    }
  });

  test("are read through the older API when a node lacks the newer one", async () => {
    const node = await nodeThat((method) =>
      method === "condenser_api.get_accounts"
        ? { result: [{ ...row, hbd_balance: "0.000 HBD" }] }
        : { error: { code: -32002, message: "Could not find method" } },
    );
    expect((await readAccounts(clientOf([node]), ["alice"])).get("alice")?.hbdMils).toBe(0);
  });
});

describe("a posting authority", () => {
  const read = async (...replies: ScriptedReply[]) =>
    readPostingAuthority(await clientAnsweredWith(...replies), "alice");
  const unknown = { code: "chain_unavailable" };

  test("is the one that two nodes agree on, or null if both lack the account", async () => {
    expect(await read(saying(1), saying(1))).toEqual(authorityOf(1));
    expect(await read(none, none)).toBeNull();
  });

  test("is decided by a third node when two differ", async () => {
    expect(await read(saying(9), saying(1), saying(1))).toEqual(authorityOf(1));
    expect(await read(none, saying(1), saying(1))).toEqual(authorityOf(1));
    await expect(read(saying(9), saying(1))).rejects.toMatchObject(unknown);
    await expect(read(saying(1), none)).rejects.toMatchObject(unknown);
  });

  test("is unavailable while only one of two configured nodes answers", async () => {
    await expect(read(saying(1), "cut")).rejects.toMatchObject(unknown);
    await expect(read("cut", saying(1))).rejects.toMatchObject(unknown);
    await expect(read("cut", "cut")).rejects.toMatchObject(unknown);
  });

  test("is read from one node if only one is configured", async () => {
    expect(await read(saying(1))).toEqual(authorityOf(1));
  });
});
