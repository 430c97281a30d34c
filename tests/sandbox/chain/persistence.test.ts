import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { secretOf, signTransaction, transferOf } from "../../harness/sign-transaction.ts";
import { callRpc, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

let dataDir: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sandbox-chain-"));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(dataDir, { recursive: true, force: true });
});

const start = new URL("../../../sandbox/chain/start.ts", import.meta.url).href;

/** Starts the chain in a separate process, which the test can kill. */
async function spawnChain() {
  const code = `import { startChain } from ${JSON.stringify(start)};
    const chain = await startChain({ port: 0, dataDir: ${JSON.stringify(dataDir)}, blockIntervalMs: 0, isDevApiOn: true });
    console.log(JSON.stringify({ url: chain.url, chainId: chain.chainId }));`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { url, chainId } = JSON.parse(line.toString()) as { url: string; chainId: string };
  const call = async (method: string, params: unknown) => {
    const { result, error } = await callRpc(url, method, params);
    if (error) throw new Error(error.message);
    return result;
  };
  const kill = async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { url, chainId, call, kill };
}

test("balances, blocks, subscriptions and pending transactions survive a kill", async () => {
  const first = await spawnChain();
  const keys = [secretOf("alice", "active")];
  const included = await signTransaction(first, [transferOf("alice", "dave", 1_500, "included")], { keys });
  await first.call("condenser_api.broadcast_transaction", [included.json]);
  const subscribe = {
    type: "custom_json" as const,
    required_auths: [],
    required_posting_auths: ["dave"],
    id: "community",
    json: '["subscribe",{"community":"hive-100003"}]',
  };
  const joined = await signTransaction(first, [subscribe], { keys: [secretOf("dave", "posting")] });
  await first.call("condenser_api.broadcast_transaction", [joined.json]);
  await first.call("dev_api.produce_blocks", { count: 2 });
  const waiting = await signTransaction(first, [transferOf("alice", "dave", 250, "waiting")], { keys });
  await first.call("condenser_api.broadcast_transaction", [waiting.json]);
  const head = await first.call("condenser_api.get_block", [3]);
  await first.kill();

  const second = await spawnChain();
  const find = (transaction_id: string) =>
    second.call("transaction_status_api.find_transaction", { transaction_id });
  expect(await second.call("condenser_api.get_block", [3])).toEqual(head);
  expect(await find(included.id)).toMatchObject({ status: "within_irreversible_block", block_num: 2 });
  expect(await second.call("condenser_api.get_accounts", [["dave"]])).toMatchObject([
    { hbd_balance: "1.750 HBD" },
  ]);
  expect(await second.call("bridge.get_community_context", { name: "hive-100003", account: "dave" })).toEqual(
    {
      role: "guest",
      subscribed: true,
      title: "",
    },
  );
  expect(await find(waiting.id)).toMatchObject({ status: "within_reversible_block", block_num: 4 });
  const again = await callRpc(second.url, "condenser_api.broadcast_transaction", [included.json]);
  expect(again.error?.message).toContain("Duplicate transaction check failed");
});

test("a fork after a restart can undo a block that was produced before it", async () => {
  const first = await startSandboxChain({ dataDir });
  await first.setLag(100);
  const { json } = await signTransaction(first, [transferOf("alice", "dave", 1_000)], {
    keys: [secretOf("alice", "active")],
  });
  await first.call("condenser_api.broadcast_transaction", [json]);
  await first.produceBlocks();
  await first.close();
  const second = await startSandboxChain({ dataDir, faults: [] });
  await second.setLag(100);
  await second.fork({ blocks: 1, losesTransactions: true });
  expect(await second.call("condenser_api.get_accounts", [["dave"]])).toMatchObject([
    { hbd_balance: "1.000 HBD" },
  ]);
  await second.close();
});

test("a folder that contains another chain is refused", async () => {
  await (await startSandboxChain({ dataDir })).close();
  await expect(startSandboxChain({ dataDir, chainId: "ab".repeat(32) })).rejects.toMatchObject({
    name: "ConfigError",
    message: expect.stringMatching(/HIVE_CHAIN_ID: .* another chain id: name that one/),
  });
});
