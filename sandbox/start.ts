import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { MAINNET_CHAIN_ID } from "../lib/chains.ts";
import { type Environment, readSettings, type SandboxInfo } from "../lib/config.ts";
import { formatMils } from "../lib/mils.ts";
import { Settings } from "../lib/settings.ts";
import { createFolder } from "../lib/store/open-database.ts";
import { sandboxAccounts } from "./accounts.ts";
import { type RunningChain, startChain } from "./chain/start.ts";
import { startMattermost } from "./mattermost/start.ts";

export type Sandbox = {
  /** The environment, completed with the sandbox's settings. */
  settings: Record<string, string | undefined>;
  info: SandboxInfo;
  /** The chat users that were created for chain accounts before the gateway first saw those accounts. */
  people: Mattermost["people"];
  /** A sentence for the user who started the sandbox, or null. */
  notice: string | null;
  close(): Promise<void>;
};

type Mattermost = Awaited<ReturnType<typeof startMattermost>>;

const chatSettings = ["CHAT_BASE_URL", "CHAT_ADMIN_TOKEN", "CHAT_TEAM_ID"];

/**
 * Starts the embedded servers that the environment does not replace: any `CHAT_*` setting replaces
 * Mattermost, and `HIVE_NODES` replaces the chain. Everything is stored in `DATA_DIR/sandbox`.
 */
export async function startSandbox(environment: Environment): Promise<Sandbox> {
  const isSet = (name: string) => Boolean(environment[name]?.trim());
  const dataDir = join(environment.DATA_DIR?.trim() || ".data", "sandbox");
  const settings: Record<string, string | undefined> = { ...environment, DATA_DIR: dataDir };
  if (!isSet("SESSION_SECRET")) settings.SESSION_SECRET = keepSecret(dataDir);

  const { SANDBOX_CHAIN_PORT: wantedPort } = readSettings(
    Settings.pick({ SANDBOX_CHAIN_PORT: true }),
    environment,
  );
  const chain = isSet("HIVE_NODES")
    ? null
    : await startOwnChain(dataDir, wantedPort, environment.HIVE_CHAIN_ID?.trim());
  if (chain) Object.assign(settings, { HIVE_NODES: chain.url, HIVE_CHAIN_ID: chain.chainId });
  const isMainnet = (settings.HIVE_CHAIN_ID?.trim() || MAINNET_CHAIN_ID) === MAINNET_CHAIN_ID;
  const hasAccounts = chain !== null || !isMainnet;
  // On the main chain, the account of this name is a stranger's.
  if (hasAccounts && !isSet("PAYWALL_ACCOUNT")) settings.PAYWALL_ACCOUNT = "shop";

  const chat = chatSettings.some(isSet)
    ? null
    : await startMattermost({ port: 0, dataDir: join(dataDir, "chat"), seed: true }).catch(
        async (error: unknown) => {
          await chain?.close();
          throw error;
        },
      );
  if (chat)
    Object.assign(settings, {
      CHAT_BASE_URL: chat.url,
      CHAT_ADMIN_TOKEN: chat.adminToken,
      CHAT_TEAM_ID: chat.teamId,
    });

  return {
    settings,
    info: describe(chat, chain, hasAccounts),
    people: chat?.people ?? [],
    notice:
      chain && wantedPort !== 0 && chain.port !== wantedPort
        ? `Port ${wantedPort} is taken: the sandbox's chain is at ${chain.url}. Tell your wallet, or set SANDBOX_CHAIN_PORT.`
        : null,
    async close() {
      await Promise.all([chat?.close(), chain?.close()]);
    },
  };
}

/** Number of ports to try after the requested one, before any free one. */
const PORTS_TRIED = 100;

async function startOwnChain(
  dataDir: string,
  wantedPort: number,
  chainId: string | undefined,
): Promise<RunningChain> {
  const start = (port: number) =>
    startChain({ port, dataDir: join(dataDir, "chain"), ...(chainId && { chainId }) });
  if (wantedPort === 0) return start(0);
  const last = Math.min(wantedPort + PORTS_TRIED, 65_535);
  for (let port = wantedPort; port <= last; port++) {
    if (!(await isFree(port))) continue;
    try {
      return await start(port);
    } catch (error) {
      // Another process took the port first.
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
  return start(0);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
      .once("error", () => resolve(false))
      .listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

function describe(chat: Mattermost | null, chain: RunningChain | null, hasAccounts: boolean): SandboxInfo {
  const accounts = sandboxAccounts.map(({ name, hbdMils, keys }) => ({
    name,
    hbd: formatMils(hbdMils),
    keys: Object.fromEntries(Object.entries(keys).map(([role, { privateKey }]) => [role, privateKey])),
  }));
  return {
    accounts: hasAccounts ? accounts : [],
    chat: chat && { url: chat.url, teamId: chat.teamId },
    chain: chain && { url: chain.url, chainId: chain.chainId },
  };
}

const FILE = "session-secret";

/**
 * Returns the sandbox's session secret, created on the first start in a file that only its owner can read.
 */
export function keepSecret(dataDir: string): string {
  createFolder(dataDir);
  const path = join(dataDir, FILE);
  try {
    writeFileSync(path, randomBytes(32).toString("hex"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(path, "utf8");
}
