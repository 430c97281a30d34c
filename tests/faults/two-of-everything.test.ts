import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { balancesOf } from "../harness/balances-of.ts";
import { type ContractMattermost, startContractMattermost } from "../harness/contract-mattermost.ts";
import { openResumingSocket, type ResumingSocket } from "../harness/open-resuming-socket.ts";
import { type Balancer, startBalancer } from "../harness/start-balancer.ts";
import { request, requestBootstrap } from "../harness/start-chat.ts";
import { type FacilitatorProcess, startFacilitatorProcess } from "../harness/start-facilitator-process.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/start-gateway-process.ts";
import { startRedis, type TestRedis } from "../harness/start-redis.ts";
import { type SandboxChain, startSandboxChain } from "../harness/start-sandbox-chain.ts";
import { askUntil, buy, type Purchase } from "../harness/use-services.ts";

const community = "hive-100001";
const people = ["alice", "bob", "carol"] as const;
const PRICE_MILLIS = 50;
const MESSAGES_OF_EACH = 4;

type Person = { name: string; id: string; pat: string; socket: ResumingSocket };

let chain: SandboxChain;
let mattermost: ContractMattermost;
let folder: string;
let redis: TestRedis;
let gatewayDoor: Balancer;
let facilitatorDoor: Balancer;
let gateways: GatewayProcess[];
let facilitators: FacilitatorProcess[];

const startOneGateway = () =>
  startGatewayProcess({
    settings: {
      CHAT_BASE_URL: mattermost.baseUrl,
      CHAT_ADMIN_TOKEN: mattermost.adminToken,
      CHAT_TEAM_ID: mattermost.teamId,
      HIVE_NODES: chain.url,
      HIVE_CHAIN_ID: chain.chainId,
      X402_NETWORK: "chain:sandbox",
      REDIS_URL: redis.url,
      PUBLIC_URL: gatewayDoor.url,
      FACILITATOR_URL: facilitatorDoor.url,
    },
  });
const startOneFacilitator = () =>
  startFacilitatorProcess({
    nodes: [chain.url],
    chainId: chain.chainId,
    store: { kind: "redis", url: redis.url },
  });
const serveAll = () => {
  gatewayDoor.serve(gateways.map(({ url }) => url));
  facilitatorDoor.serve(facilitators.map(({ url }) => url));
};

beforeAll(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 200 });
  mattermost = await startContractMattermost();
  folder = await mkdtemp(join(tmpdir(), "two-"));
  redis = await startRedis({ dataDir: folder });
  gatewayDoor = await startBalancer();
  facilitatorDoor = await startBalancer();
  [gateways, facilitators] = await Promise.all([
    Promise.all([startOneGateway(), startOneGateway()]),
    Promise.all([startOneFacilitator(), startOneFacilitator()]),
  ]);
  serveAll();
}, 120_000);

afterAll(async () => {
  await gatewayDoor?.close();
  await facilitatorDoor?.close();
  await Promise.all([...(gateways ?? []), ...(facilitators ?? [])].map((one) => one.close()));
  await redis?.close();
  await mattermost?.close();
  await chain?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The processes to kill. Each can be given all new work first, and is replaced afterwards. */
const victims: Record<string, { steer(): void; kill(): Promise<unknown>; restart(): Promise<void> }> = {};
for (const index of [0, 1]) {
  victims[`gateway ${index}`] = {
    steer: () => gatewayDoor.steer(gateways[index]?.url ?? null),
    kill: async () => gateways[index]?.kill(),
    async restart() {
      gateways[index] = await startOneGateway();
    },
  };
  victims[`facilitator ${index}`] = {
    steer: () => facilitatorDoor.steer(facilitators[index]?.url ?? null),
    kill: async () => facilitators[index]?.close(),
    async restart() {
      facilitators[index] = await startOneFacilitator();
    },
  };
}
victims.Redis = {
  steer: () => undefined,
  kill: () => redis.close(),
  async restart() {
    redis = await startRedis({ port: redis.port, dataDir: folder });
  },
};

// In the written order, because the last tests count what the first ones wrote and bought.
describe("two gateways and two facilitators on one Redis, behind a balancer", { shuffle: false }, () => {
  const written: string[] = [];
  const purchases: Purchase[] = [];
  const persons: Person[] = [];
  let channelId: string;

  const enter = async (name: string) => {
    const { status, body } = await requestBootstrap(gatewayDoor.url, name, { community });
    expect(status).toBe(200);
    return body;
  };
  /** Writes messages one after the other, and repeats each until it is confirmed. */
  const write = async ({ name, id, pat }: Person, round: string) => {
    for (let count = 0; count < MESSAGES_OF_EACH; count++) {
      const message = `${name} writes ${count} while ${round} dies`;
      const pendingPostId = `${id}:${1_700_000_000_000 + written.length * 10 + people.indexOf(name as "bob")}`;
      await askUntil([200], `${gatewayDoor.url}/api/chat/channels/${channelId}/posts`, {
        method: "POST",
        headers: { authorization: `Bearer ${pat}`, "content-type": "application/json" },
        body: JSON.stringify({ message, pendingPostId }),
      });
      written.push(message);
    }
  };
  const isInMempool = async ({ txId }: Purchase) => {
    const status = await chain.call("transaction_status_api.find_transaction", { transaction_id: txId });
    return (status as { status: string }).status === "within_mempool";
  };
  /** A tip can be given repeatedly, while an article can be bought once. */
  const buyOne = (account: string) =>
    buy(`${gatewayDoor.url}/api/demo/tips?to=shop&amount=0.050`, account, chain, "POST");

  beforeAll(async () => {
    for (const name of people) {
      const { userId, token, channelId: found } = await enter(name);
      channelId = found ?? "";
      persons.push({
        name,
        id: userId,
        pat: token,
        socket: await openResumingSocket(gatewayDoor.url, token),
      });
    }
  });
  afterAll(() => {
    for (const { socket } of persons) socket.close();
  });

  test.each(Object.keys(victims))(
    "lose nothing when %s is killed under load and replaced",
    async (name) => {
      const victim = victims[name] as (typeof victims)[string];
      await chain.pause(true);
      victim.steer();
      const bought = await Promise.all([buyOne("alice"), buyOne("bob")]);
      purchases.push(...bought);
      for (const purchase of bought) await expect.poll(() => isInMempool(purchase)).toBe(true);
      const before = written.length;
      const writing = persons.map((person) => write(person, name));
      await expect.poll(() => written.length, { interval: 5 }).toBeGreaterThan(before);
      await victim.kill();
      gatewayDoor.steer(null);
      facilitatorDoor.steer(null);
      await chain.pause(false);
      const restarted = victim.restart().then(serveAll);
      for (const { txId, delivered } of bought) {
        const { receiptTxId, text } = await delivered;
        expect(receiptTxId).toBe(txId);
        expect(JSON.parse(text)).toMatchObject({ to: "shop", amount: "0.050 HBD", txId });
      }
      await Promise.all([...writing, restarted]);
      for (const { socket } of persons)
        await expect.poll(() => [...socket.received].sort()).toEqual([...written].sort());
    },
    120_000,
  );

  test("store each message once in the channel", async () => {
    expect(written).toHaveLength(Object.keys(victims).length * people.length * MESSAGES_OF_EACH);
    const authorization = `Bearer ${mattermost.adminToken}`;
    const { body } = await request<{ posts: Record<string, { message: string }> }>(
      "GET",
      `${mattermost.baseUrl}/channels/${channelId}/posts?per_page=200`,
      undefined,
      { authorization },
    );
    const messages = Object.values(body.posts).map(({ message }) => message);
    const ours = messages.filter((message) => / while .* dies$/.test(message));
    expect(ours.sort()).toEqual([...written].sort());
  });

  test("let each websocket resume on its own, with each message once", () => {
    for (const { socket } of persons) {
      expect([...socket.received].sort()).toEqual([...written].sort());
      expect(socket.reopened()).toBeGreaterThan(0);
      expect(socket.begunAgain()).toBe(0);
    }
  });

  test("charge each payment once and deliver it once", async () => {
    const isOfAlice = purchases.length / 2;
    for (const purchase of purchases) expect(await purchase.again()).toBe(402);
    expect(await balancesOf(chain)).toMatchObject({
      alice: 100_000 - isOfAlice * PRICE_MILLIS,
      bob: 50_000 - isOfAlice * PRICE_MILLIS,
      shop: purchases.length * PRICE_MILLIS,
    });
    const response = await askUntil([200], `${gatewayDoor.url}/api/x402/payments?account=shop`);
    const { payments } = (await response.json()) as { payments: Array<{ txId: string }> };
    expect(payments.map(({ txId }) => txId).sort()).toEqual(purchases.map(({ txId }) => txId).sort());
  });

  test("keep everyone's first chat token, and create no second one", async () => {
    for (const { name, id, pat } of persons) {
      expect((await enter(name)).token).toBe(pat);
      const { body } = await request<unknown[]>(
        "GET",
        `${mattermost.baseUrl}/users/${id}/tokens`,
        undefined,
        {
          authorization: `Bearer ${mattermost.adminToken}`,
        },
      );
      expect(body).toHaveLength(1);
    }
  });
});
