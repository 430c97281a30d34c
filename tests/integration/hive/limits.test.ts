import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { readResourceCredits } from "../../../lib/hive/accounts.ts";
import { createHiveClient } from "../../../lib/hive/client.ts";
import { type HeldTime, holdTime } from "../../harness/hold-time.ts";
import { type ScriptedReply, startScriptedNode } from "../../harness/start-scripted-node.ts";

const chainId = "c0de".padEnd(64, "0");
const closing: Array<() => unknown> = [];
let time: HeldTime;
beforeEach(() => {
  time = holdTime();
  closing.push(time.release);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Starts a node that answers only when the test calls `answer`. */
async function slowNode(itsChain = chainId) {
  let answer = (_reply: ScriptedReply) => {};
  const reply = new Promise<ScriptedReply>((resolve) => {
    answer = resolve;
  });
  const node = await startScriptedNode(itsChain, () => reply);
  closing.push(node.close);
  return { ...node, answer };
}

async function nodeThatSays(result: unknown) {
  const node = await startScriptedNode(chainId, () => ({ result }));
  closing.push(node.close);
  return node;
}

function clientOf(...nodes: Array<{ url: string }>) {
  const client = createHiveClient({ nodes: nodes.map(({ url }) => url), chainId });
  closing.push(client.close);
  return client;
}

const isAsked = (node: { calls: Array<{ method: string }> }) =>
  expect.poll(() => node.calls.some(({ method }) => method === "test.call")).toBe(true);

describe("a node", () => {
  test("has two seconds to answer", async () => {
    const slow = await slowNode();
    const asked = clientOf(slow, await nodeThatSays("second")).read("test.call", [], z.string());
    await isAsked(slow);
    time.pass(1999);
    slow.answer({ result: "first" });
    expect(await asked).toBe("first");
  });

  test("is skipped after two seconds without an answer", async () => {
    const slow = await slowNode();
    const asked = clientOf(slow, await nodeThatSays("second")).read("test.call", [], z.string());
    await isAsked(slow);
    time.pass(2000);
    expect(await asked).toBe("second");
  });
});

test("resource credits regenerate fully within five days by the chain's clock, up to their maximum", async () => {
  const [DAY_SECONDS, usedAtSeconds] = [86_400, 1_700_000_000];
  const bar = { current_mana: "1000", last_update_time: usedAtSeconds };
  const client = clientOf(
    await nodeThatSays({ rc_accounts: [{ account: "alice", rc_manabar: bar, max_rc: "10000" }] }),
  );
  const after = (days: number) =>
    readResourceCredits(client, "alice", (usedAtSeconds + days * DAY_SECONDS) * 1000);
  expect([await after(0), await after(1), await after(4.5), await after(40)]).toEqual([
    1000, 3000, 10_000, 10_000,
  ]);
});
