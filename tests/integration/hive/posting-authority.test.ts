import { afterEach, describe, expect, test } from "vitest";
import { readPostingAuthority } from "../../../lib/hive/accounts.ts";
import { createHiveClient } from "../../../lib/hive/client.ts";
import { type ScriptedReply, startScriptedNode } from "../../harness/start-scripted-node.ts";

const chainId = "c0de".padEnd(64, "0");
const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function clientOf(...replies: ScriptedReply[]) {
  const nodes = await Promise.all(replies.map((reply) => startScriptedNode(chainId, () => reply)));
  const client = createHiveClient({ nodes: nodes.map(({ url }) => url), chainId });
  closing.push(...nodes.map(({ close }) => close), client.close);
  return client;
}

const authority = (weight_threshold: number) => ({ weight_threshold, account_auths: [], key_auths: [] });
/** Returns a node's statement about alice. The threshold identifies the node. */
const saying = (threshold: number): ScriptedReply => {
  const { owner, active, posting } = {
    owner: authority(1),
    active: authority(1),
    posting: authority(threshold),
  };
  return { result: { accounts: [{ name: "alice", owner, active, posting, hbd_balance: "0.000 HBD" }] } };
};
const none: ScriptedReply = { result: { accounts: [] } };

describe("a posting authority", () => {
  const read = async (...replies: ScriptedReply[]) =>
    readPostingAuthority(await clientOf(...replies), "alice");
  const unknown = { code: "chain_unavailable" };

  test("is accepted only when two nodes agree on it", async () => {
    expect(await read(saying(1), saying(1))).toEqual(authority(1));
    expect(await read(none, none)).toBeNull();
  });

  test("is decided by a third node when two differ", async () => {
    expect(await read(saying(9), saying(1), saying(1))).toEqual(authority(1));
    expect(await read(none, saying(1), saying(1))).toEqual(authority(1));
    await expect(read(saying(9), saying(1))).rejects.toMatchObject(unknown);
    await expect(read(saying(1), none)).rejects.toMatchObject(unknown);
  });

  test("is unavailable while only one of two configured nodes answers", async () => {
    await expect(read(saying(1), "cut")).rejects.toMatchObject(unknown);
    await expect(read("cut", saying(1))).rejects.toMatchObject(unknown);
    await expect(read("cut", "cut")).rejects.toMatchObject(unknown);
  });

  test("is read from one node if only one is configured", async () => {
    expect(await read(saying(1))).toEqual(authority(1));
  });
});
