import { afterEach, describe, expect, test } from "vitest";
import { createHiveClient } from "../../../lib/hive/client.ts";
import { readPostingAuthority } from "../../../lib/hive/posting-authority.ts";
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
/** A node's word on alice; the threshold tells whose word it was. */
const saying = (threshold: number): ScriptedReply => {
  const { owner, active, posting } = {
    owner: authority(1),
    active: authority(1),
    posting: authority(threshold),
  };
  return { result: { accounts: [{ name: "alice", owner, active, posting, hbd_balance: "0.000 HBD" }] } };
};
const none: ScriptedReply = { result: { accounts: [] } };

describe("a second opinion on a posting authority", () => {
  test("is another node's", async () => {
    const client = await clientOf(saying(1), saying(2));
    expect(await readPostingAuthority(client, "alice", true)).toEqual(authority(2));
    expect(await readPostingAuthority(client, "alice", false)).toEqual(authority(1));
  });

  test("is the one node's that answers, where the other does not", async () => {
    expect(await readPostingAuthority(await clientOf(saying(1), "cut"), "alice", true)).toEqual(authority(1));
    expect(await readPostingAuthority(await clientOf("cut", saying(2)), "alice", true)).toEqual(authority(2));
    expect(await readPostingAuthority(await clientOf(saying(1)), "alice", true)).toEqual(authority(1));
  });

  test("is none of an account that the other node does not know", async () => {
    expect(await readPostingAuthority(await clientOf(saying(1), none), "alice", true)).toBeNull();
  });

  test("is not to be had where no node answers", async () => {
    await expect(readPostingAuthority(await clientOf("cut", "cut"), "alice", true)).rejects.toMatchObject({
      code: "chain_unavailable",
    });
  });
});
