import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startMattermost } from "../../../sandbox/mattermost/start.ts";
import { freePort } from "../../harness/free-port.ts";
import { runDoctor } from "../../harness/run-doctor.ts";
import { serveNode } from "../../harness/serve-web.ts";
import { startTestMattermost } from "../../harness/start-mattermost.ts";
import { startRecordingProxy } from "../../harness/start-recording-proxy.ts";
import { startRedis } from "../../harness/start-redis.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";
import { startScriptedNode } from "../../harness/start-scripted-node.ts";

let dataDir: string;
let chain: SandboxChain;
let mattermost: Awaited<ReturnType<typeof startMattermost>>;
let good: Record<string, string>;

/** Returns an address where no server listens. */
const findNobody = async () => `http://127.0.0.1:${await freePort()}`;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "doctor-"));
  chain = await startSandboxChain({ blockIntervalMs: 1000, extraNodes: 1 });
  mattermost = await startMattermost({ port: 0, dataDir: join(dataDir, "chat") });
  good = {
    CHAT_BASE_URL: mattermost.url,
    CHAT_ADMIN_TOKEN: mattermost.adminToken,
    CHAT_TEAM_ID: mattermost.teamId,
    HIVE_NODES: chain.url,
    HIVE_CHAIN_ID: chain.chainId,
    SESSION_SECRET: "s".repeat(32),
    DATA_DIR: join(dataDir, "store"),
  };
});

afterAll(async () => {
  await mattermost.close();
  await chain.close();
  await rm(dataDir, { recursive: true, force: true });
});

describe("npm run doctor", () => {
  test("reports no fault on good settings and exits with 0", async () => {
    await chain.produceBlocks();
    const { code, output } = await runDoctor(good);
    expect([code, output.includes("FAULT")], output).toEqual([0, false]);
    for (const subject of [
      "settings",
      "Mattermost",
      "CHAT_ADMIN_TOKEN",
      "CHAT_TEAM_ID",
      "chain node",
      "store",
    ])
      expect(output).toContain(`ok    ${subject}`);
  });

  test("examines a standalone facilitator, which has no chat settings", async () => {
    await chain.produceBlocks();
    const { HIVE_NODES, HIVE_CHAIN_ID, DATA_DIR } = good;
    const alone = { HIVE_NODES, HIVE_CHAIN_ID, DATA_DIR } as Record<string, string>;
    const { code, output } = await runDoctor({ ...alone, PORT: String(await freePort()) }, "--facilitator");
    expect([code, output.includes("FAULT")], output).toEqual([0, false]);
    for (const subject of ["settings", "chain node", "store", "PORT"])
      expect(output).toContain(`ok    ${subject}`);
    expect(output).not.toContain("CHAT_");
    const nobody = await findNobody();
    const away = await runDoctor({ ...alone, HIVE_NODES: nobody }, "--facilitator");
    expect(away).toMatchObject({ code: 1, output: expect.stringContaining("FAULT chain node") });
  });

  test("reports that a single chain node decides alone, and that two nodes must agree", async () => {
    expect((await runDoctor(good)).output).toMatch(
      /One chain node is named: whoever runs it decides who gets in/,
    );
    const again = `${good.HIVE_NODES},${good.HIVE_NODES}/again`;
    expect((await runDoctor({ ...good, HIVE_NODES: again })).output).toMatch(/One chain node is named/);
    const two = `${good.HIVE_NODES},${chain.urls[1]}`;
    expect((await runDoctor({ ...good, HIVE_NODES: two })).output).toMatch(
      /two of 2 must agree: while one is unreachable/,
    );
  });

  test("names all missing settings and exits with 78", async () => {
    const { code, output } = await runDoctor({});
    expect(code).toBe(78);
    for (const name of ["CHAT_BASE_URL", "CHAT_ADMIN_TOKEN", "CHAT_TEAM_ID", "SESSION_SECRET"])
      expect(output).toContain(name);
  });

  const faults: Array<[string, () => Promise<Record<string, string>>, RegExp]> = [
    [
      "a Mattermost that does not answer",
      async () => ({ CHAT_BASE_URL: `${await findNobody()}/api/v4` }),
      /FAULT Mattermost: .*\n +Start the Mattermost server/,
    ],
    [
      "a refused token",
      async () => ({ CHAT_ADMIN_TOKEN: "x".repeat(26) }),
      /FAULT CHAT_ADMIN_TOKEN: unauthorized\n +Create a personal access token/,
    ],
    [
      "a missing team",
      async () => ({ CHAT_TEAM_ID: "x".repeat(26) }),
      /FAULT CHAT_TEAM_ID: .*\n +Set CHAT_TEAM_ID/,
    ],
    [
      "a chain node that does not answer",
      async () => ({ HIVE_NODES: `${chain.url},${await findNobody()}` }),
      /FAULT chain node .*does not answer\n +Check the address/,
    ],
    [
      "a chain node of another chain",
      async () => ({ HIVE_CHAIN_ID: "ab".repeat(32) }),
      /FAULT chain node .*another chain\n +Correct HIVE_CHAIN_ID/,
    ],
    [
      "an unusable data folder",
      async () => ({ DATA_DIR: "package.json/data" }),
      /FAULT store \(sqlite\).*\n +Make DATA_DIR/,
    ],
    [
      "a Redis that does not answer",
      async () => ({ REDIS_URL: (await findNobody()).replace("http", "redis") }),
      /FAULT store \(redis\).*\n +Start the Redis/,
    ],
  ];
  test.each(faults)(
    "advises about %s and exits with 1, without printing the token",
    async (_, change, expected) => {
      const { code, output } = await runDoctor({ ...good, ...(await change()) });
      expect(code, output).toBe(1);
      expect(output).toMatch(expected);
      expect(output).not.toContain(good.CHAT_ADMIN_TOKEN);
    },
  );

  test("reports a Mattermost without personal access tokens", async () => {
    const strict = await startMattermost({
      port: 0,
      dataDir: join(dataDir, "strict"),
      enableUserAccessTokens: false,
    });
    const { code, output } = await runDoctor({
      ...good,
      CHAT_BASE_URL: strict.url,
      CHAT_ADMIN_TOKEN: strict.adminToken,
      CHAT_TEAM_ID: strict.teamId,
    });
    await strict.close();
    expect([code, output]).toEqual([1, expect.stringContaining("EnableUserAccessTokens")]);
  });

  test("warns when Mattermost is near its user limit, and reports a reached limit", async () => {
    const small = await startTestMattermost({ maxUsers: 5 });
    const settings = {
      ...good,
      CHAT_BASE_URL: small.url,
      CHAT_ADMIN_TOKEN: small.adminToken,
      CHAT_TEAM_ID: small.teamId,
    };
    try {
      expect((await runDoctor(settings)).output).toMatch(/ok {4}users: 1 of 5 allowed users are active/);
      for (const name of ["ada", "bea", "cem"]) await small.account(name);
      const near = await runDoctor(settings);
      expect(near.output).toMatch(
        /warn {2}users: 4 of 5 allowed users are active\n +Deactivate unused chat users/,
      );
      expect(near.code, near.output).toBe(0);
      await small.account("dora");
      const full = await runDoctor(settings);
      expect(full.output).toMatch(
        /FAULT users: 5 of 5 allowed users are active: new users cannot sign in\n +Deactivate/,
      );
      expect(full.code, full.output).toBe(1);
    } finally {
      await small.close();
    }
  });

  test("reports a full team, even if the server accepts more users", async () => {
    const small = await startTestMattermost({ maxUsersPerTeam: 2 });
    const settings = {
      ...good,
      CHAT_BASE_URL: small.url,
      CHAT_ADMIN_TOKEN: small.adminToken,
      CHAT_TEAM_ID: small.teamId,
    };
    try {
      expect((await runDoctor(settings)).output).toMatch(/ok {4}room in the team: \d+ of 2 allowed members/);
      for (const name of ["ada", "bea"]) {
        const { id } = await small.account(name);
        await small.admin("POST", `/teams/${small.teamId}/members`, { team_id: small.teamId, user_id: id });
      }
      const full = await runDoctor(settings);
      expect(full.output).toMatch(/FAULT room in the team: 2 of 2 allowed members.*\n +Raise System Console/);
      expect(full.code).toBe(1);
    } finally {
      await small.close();
    }
  });

  test("distinguishes a Mattermost with its database down from an unreachable one", async () => {
    const text = JSON.stringify({ status: "UNHEALTHY", database_status: "UNHEALTHY" });
    const server = await serveNode((_incoming, outgoing) => outgoing.writeHead(500).end(text));
    const { code, output } = await runDoctor({ ...good, CHAT_BASE_URL: `${server.url}/api/v4` });
    await server.close();
    expect(output).toMatch(
      /FAULT Mattermost: is up, but its database is not\n +Start Mattermost's PostgreSQL/,
    );
    expect(code).toBe(1);
  });

  test("distinguishes a rate-limiting Mattermost from an unreachable one, and names the setting", async () => {
    const server = await serveNode((_incoming, outgoing) => outgoing.writeHead(429).end("limit exceeded"));
    const { code, output } = await runDoctor({ ...good, CHAT_BASE_URL: `${server.url}/api/v4` });
    await server.close();
    expect(output).toMatch(/FAULT Mattermost: limits the gateway's requests\n.*RateLimitSettings.Enable/);
    expect(code).toBe(1);
  });

  test.each([
    [
      { Enable: true, PerSec: 10, VaryByUser: false },
      /warn {2}rate limits: allow 10 .* all users of the gateway\n +It counts/,
    ],
    [{ Enable: true, PerSec: 10, VaryByUser: true }, /ok {4}rate limits: allow 10 .* for each user\n/],
    [{ Enable: false }, /ok {4}rate limits: are off\n/],
  ])("reads Mattermost's rate limits: %o", async (RateLimitSettings, expected) => {
    const proxy = await startRecordingProxy(mattermost.url);
    const config = { TeamSettings: { MaxUsersPerTeam: 1000 }, RateLimitSettings };
    proxy.treat(({ path }) => (path === "/config" ? { status: 200, text: JSON.stringify(config) } : "pass"));
    const { output } = await runDoctor({ ...good, CHAT_BASE_URL: proxy.url });
    await proxy.close();
    expect(output).toMatch(expected);
  });

  test("reports a Redis that can lose data: without an append-only file, or with eviction", async () => {
    const folder = await mkdtemp(join(dataDir, "redis-"));
    const cases: Array<[Parameters<typeof startRedis>[0], RegExp]> = [
      [{}, /FAULT store persistence: has no append-only file\n +Set appendonly yes/],
      [
        { dataDir: folder, policy: "allkeys-lru" },
        /FAULT store persistence: evicts .*allkeys-lru.*\n +Set maxmemory-policy noeviction/,
      ],
      [{ dataDir: folder }, /ok {4}store persistence: has an append-only file/],
    ];
    for (const [settings, expected] of cases) {
      const redis = await startRedis(settings);
      const { code, output } = await runDoctor({ ...good, REDIS_URL: redis.url });
      await redis.close();
      expect(output).toMatch(expected);
      expect(code, output).toBe(output.includes("FAULT") ? 1 : 0);
    }
  });

  test("blames the machine's clock if most nodes agree on another time, and a node that disagrees with them", async () => {
    const nodes = await Promise.all([-40, -40, -41, -140].map((seconds) => startMovingNode(seconds)));
    const urls = nodes.map(({ url }) => url);
    try {
      const { code, output } = await runDoctor({ ...good, HIVE_NODES: urls.join(",") });
      expect(code, output).toBe(1);
      expect(output).toMatch(
        /FAULT this machine's clock: is (39|4\d) s ahead of the chain's\n +Synchronize it \(NTP\)\.\n/,
      );
      expect(output.match(/ok {4}chain node/g)).toHaveLength(3);
      expect(output).toMatch(/FAULT chain node .*: is (9\d|10\d) s behind\n +Remove it/);
    } finally {
      for (const node of nodes) await node.close();
    }
  });
});

/** Starts a node whose clock is off by this many seconds, with a block every second. */
function startMovingNode(offSeconds: number) {
  return startScriptedNode(chain.chainId, () => {
    const seconds = Math.floor(Date.now() / 1000) + offSeconds;
    return {
      result: {
        head_block_number: seconds % 1_000_000,
        head_block_id: "0".repeat(40),
        time: new Date(seconds * 1000).toISOString().slice(0, 19),
        last_irreversible_block_num: 1,
      },
    };
  });
}
