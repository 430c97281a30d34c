import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadConfig, readSettings } from "../../lib/config.ts";
import { Settings } from "../../lib/settings.ts";
import { type Sandbox, startSandbox } from "../../sandbox/start.ts";
import { freePort } from "../harness/free-port.ts";

const MAINNET = "beeab0de".padEnd(64, "0");

let dataDir: string;
let sandbox: Sandbox | undefined;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sandbox-start-"));
});

afterEach(async () => {
  await sandbox?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const start = async (settings: Record<string, string> = {}) => {
  sandbox = await startSandbox({ DATA_DIR: dataDir, ...settings });
  return { sandbox, config: loadConfig(sandbox.settings, sandbox.info) };
};

describe("the sandbox", () => {
  test("requires no settings, and provides both servers and everyone's keys", async () => {
    const { sandbox, config } = await start();
    expect(config).toMatchObject({ host: "127.0.0.1", x402: { network: "chain:sandbox" } });
    expect(config.hive.chainId).not.toBe(MAINNET);
    expect((await fetch(`${config.chat.baseUrl}/system/ping`)).status).toBe(200);
    expect(sandbox.info.chain).toEqual({ url: config.hive.nodes[0], chainId: config.hive.chainId });
    expect(sandbox.info.accounts.map(({ name, hbd }) => `${name} ${hbd}`)).toEqual([
      "alice 100.000 HBD",
      "bob 50.000 HBD",
      "carol 10.000 HBD",
      "dave 0.000 HBD",
      "erin 1.000 HBD",
      "shop 0.000 HBD",
    ]);
    expect(Object.keys(sandbox.info.accounts[0]?.keys ?? {})).toEqual(["owner", "active", "posting", "memo"]);
  });

  test("preserves its secret, which only the owner can read, and its team across a restart", async () => {
    const first = await start();
    const file = join(dataDir, "sandbox", "session-secret");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).toBe(first.config.sessionSecret.reveal());
    await first.sandbox.close();
    const second = await start();
    expect(second.config.sessionSecret.reveal()).toBe(first.config.sessionSecret.reveal());
    expect(second.config.chat.teamId).toBe(first.config.chat.teamId);
  });

  test("uses a given secret", async () => {
    const { config } = await start({ SESSION_SECRET: "g".repeat(32) });
    expect(config.sessionSecret.reveal()).toBe("g".repeat(32));
  });

  test("does not start its Mattermost if CHAT_* is set", async () => {
    const given = {
      CHAT_BASE_URL: "http://127.0.0.1:9/api/v4",
      CHAT_ADMIN_TOKEN: "a".repeat(26),
      CHAT_TEAM_ID: "t".repeat(26),
    };
    const { sandbox, config } = await start(given);
    expect(sandbox.info).toMatchObject({ chat: null, chain: { url: expect.any(String) } });
    expect(config.chat.baseUrl).toBe(given.CHAT_BASE_URL);
  });

  test("refuses to start if one of CHAT_* is missing, instead of mixing two servers", async () => {
    await expect(start({ CHAT_BASE_URL: "http://127.0.0.1:9/api/v4" })).rejects.toThrow(/CHAT_ADMIN_TOKEN/);
  });

  test("does not start its chain if HIVE_NODES is set, and uses that chain's network", async () => {
    const chainId = "ab".repeat(32);
    const other = await start({ HIVE_NODES: "http://127.0.0.1:9", HIVE_CHAIN_ID: chainId });
    expect(other.sandbox.info).toMatchObject({ chain: null, chat: { url: expect.any(String) } });
    expect(other.config).toMatchObject({
      hive: { nodes: ["http://127.0.0.1:9"], chainId },
      x402: { network: `hive:${"ab".repeat(16)}` },
    });
    await other.sandbox.close();
    const mainnet = await start({ HIVE_NODES: "http://127.0.0.1:9" });
    expect(mainnet.config.x402.network).toBe("chain:mainnet");
    expect(mainnet.sandbox.info.accounts).toEqual([]);
  });

  test("is paid as shop, but on the main chain only as the account that is named", async () => {
    const own = await start();
    expect(own.config.x402.account).toBe("shop");
    await own.sandbox.close();
    const mainnet = await start({ HIVE_NODES: "http://127.0.0.1:9" });
    expect(mainnet.config.x402.account).toBeNull();
    await mainnet.sandbox.close();
    const named = await start({ HIVE_NODES: "http://127.0.0.1:9", PAYWALL_ACCOUNT: "myseller" });
    expect(named.config.x402.account).toBe("myseller");
  });

  test("gives its chain mainnet's id and network on request", async () => {
    const { config } = await start({ HIVE_CHAIN_ID: MAINNET });
    expect(config).toMatchObject({ hive: { chainId: MAINNET }, x402: { network: "chain:mainnet" } });
  });

  test("starts its chain at the same address each time, so that a wallet finds it again", async () => {
    const port = String(await freePort());
    const first = await start({ SANDBOX_CHAIN_PORT: port });
    expect(first.sandbox.info.chain?.url).toBe(`http://127.0.0.1:${port}`);
    expect(first.sandbox.notice).toBeNull();
    await first.sandbox.close();
    const second = await start({ SANDBOX_CHAIN_PORT: port });
    expect(second.sandbox.info.chain?.url).toBe(`http://127.0.0.1:${port}`);
  });

  test("starts its chain at port 8090 by default", () => {
    expect(readSettings(Settings.pick({ SANDBOX_CHAIN_PORT: true }), {}).SANDBOX_CHAIN_PORT).toBe(8090);
  });

  test("starts its chain at the next free port if the given one is taken, and says so", async () => {
    const taken = createServer();
    await once(taken.listen(0, "127.0.0.1"), "listening");
    const { port } = taken.address() as AddressInfo;
    try {
      const { sandbox } = await start({ SANDBOX_CHAIN_PORT: String(port) });
      const { url = "" } = sandbox.info.chain ?? {};
      expect(Number(new URL(url).port)).toBeGreaterThan(port);
      expect(sandbox.notice).toContain(`Port ${port} is taken: the sandbox's chain is at ${url}.`);
    } finally {
      taken.close();
    }
  });
});
