import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkAnswer } from "../../harness/check-answer.ts";
import { type ContractMattermost, startContractMattermost } from "../../harness/contract-mattermost.ts";
import { type LocalGateway, startGateway } from "../../harness/start-gateway.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

const HEAD = "condenser_api.get_dynamic_global_properties";
const HOUR_MS = 3_600_000;

let mattermost: ContractMattermost;
let chain: SandboxChain;
const gateways: LocalGateway[] = [];
beforeAll(async () => {
  mattermost = await startContractMattermost();
});
afterAll(() => mattermost.close());
beforeEach(async () => {
  chain = await startSandboxChain({ extraNodes: 2 });
  await chain.produceBlocks();
});
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close();
  await chain.close();
});

/** Returns the readiness report of a new gateway over the first `count` nodes. */
async function readyOver(count: number) {
  const gateway = await startGateway({
    settings: {
      CHAT_BASE_URL: mattermost.baseUrl,
      CHAT_ADMIN_TOKEN: mattermost.adminToken,
      CHAT_TEAM_ID: mattermost.teamId,
      HIVE_NODES: chain.urls.slice(0, count).join(","),
      HIVE_CHAIN_ID: chain.chainId,
    },
  });
  gateways.push(gateway);
  const url = `${gateway.url}/api/health/ready`;
  const response = await fetch(url);
  const body = (await response.json()) as { status: string; parts: { chain: { ok: boolean } } };
  checkAnswer("GET", url, response.status, body);
  return { code: response.status, status: body.status, isChainOk: body.parts.chain.ok };
}

async function headMovedBy(ms: number) {
  const head = (await chain.call(HEAD, [], 2)) as { time: string; head_block_number: number };
  const time = new Date(Date.parse(`${head.time}Z`) + ms).toISOString().slice(0, 19);
  const number = Math.max(1, head.head_block_number + ms / 3000);
  return { ...head, time, head_block_number: number };
}

const wrongs: Array<[string, (node: number) => Promise<void>]> = [
  ["is dead", (node) => chain.setFault({ kind: "cut", method: "*" }, node)],
  ["hangs", (node) => chain.setFault({ kind: "hang", method: "*" }, node)],
  [
    "reports a head of an hour ago",
    async (node) => chain.setFault({ kind: "lie", method: HEAD, result: await headMovedBy(-HOUR_MS) }, node),
  ],
  [
    "reports a head of the next hour",
    async (node) => chain.setFault({ kind: "lie", method: HEAD, result: await headMovedBy(HOUR_MS) }, node),
  ],
];

const ready = { code: 200, status: "ok", isChainOk: true };
const degraded = { code: 200, status: "degraded", isChainOk: false };

describe.each(wrongs)("a gateway with a chain node that %s", (_, spoil) => {
  test.each([0, 1, 2])("is ready with the two others: node %d of three", async (node) => {
    await spoil(node);
    expect(await readyOver(3)).toEqual(ready);
  });

  test.each([0, 1])("is degraded, because two nodes must agree: node %d of two", async (node) => {
    await spoil(node);
    expect(await readyOver(2)).toEqual(degraded);
  });
});

test("a gateway is degraded, and reports the chain as down, if a lying node is the only one that answers", async () => {
  const head = await headMovedBy(0);
  await chain.setFault({ kind: "lie", method: HEAD, result: head }, 0);
  for (const node of [1, 2]) await chain.setFault({ kind: "cut", method: "*" }, node);
  expect(await readyOver(3)).toEqual(degraded);
});

test("a gateway with one chain node is ready with that node alone", async () => {
  expect(await readyOver(1)).toEqual(ready);
});
