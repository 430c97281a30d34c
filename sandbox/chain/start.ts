import { SANDBOX_CHAIN_ID } from "../../lib/chains.ts";
import { sandboxAccounts, sandboxCommunities } from "../accounts.ts";
import { sandboxPosts } from "../posts.ts";
import { type Chain, type ChainSeed, createChain, createClock } from "./chain.ts";
import { createDevApi, createFaults, type Fault } from "./faults.ts";
import { bridgeApi } from "./methods/bridge.ts";
import { condenserApi, databaseApi } from "./methods/condenser-api.ts";
import type { Api } from "./methods/method.ts";
import {
  accountByKeyApi,
  accountHistoryApi,
  blockApi,
  networkBroadcastApi,
  rcApi,
  transactionStatusApi,
  walletReads,
} from "./methods/small-apis.ts";
import { type Node, startNode } from "./node.ts";
import type { Symbols } from "./types.ts";

const BLOCK_MS = 3000;

export type StartChainOptions = {
  /** The port; 0 picks a free one. */
  port: number;
  /** The folder of the SQLite file. */
  dataDir: string;
  /** The chain's id, 64 hex digits; by default the sandbox's id. */
  chainId?: string;
  /** The interval between blocks; by default 3000. With 0, only `dev_api.produce_blocks` produces blocks. */
  blockIntervalMs?: number;
  /** Number of further addresses of the same chain, on free ports, each with its own faults. */
  extraNodes?: number;
  symbols?: Symbols;
  seed?: ChainSeed;
  /** Returns milliseconds since 1970. */
  now?: () => number;
  /** Serves `dev_api.*`, by which any client of the port can change the chain. */
  isDevApiOn?: boolean;
  /** Omits `bridge.*`, like a node without a community index. */
  isBare?: boolean;
  /** Initial faults of the first address. */
  faults?: readonly Fault[];
};

export type RunningChain = {
  url: string;
  port: number;
  chainId: string;
  /** All addresses, including the first. */
  urls: readonly string[];
  close(): Promise<void>;
};

/** Starts the embedded chain: a JSON-RPC server on 127.0.0.1 and a block clock, with its state in `dataDir`. */
export async function startChain(options: StartChainOptions): Promise<RunningChain> {
  const { chainId = SANDBOX_CHAIN_ID, blockIntervalMs = BLOCK_MS, isBare = false } = options;
  const chain = createChain({
    dataDir: options.dataDir,
    chainId,
    symbols: options.symbols ?? { hbd: "HBD", hive: "HIVE" },
    clock: createClock({
      now: options.now ?? Date.now,
      gridSeconds: blockIntervalMs >= BLOCK_MS ? BLOCK_MS / 1000 : 1,
    }),
    seed: options.seed ?? {
      accounts: sandboxAccounts,
      communities: sandboxCommunities,
      posts: sandboxPosts,
    },
  });
  const blocks = startBlocks(chain, blockIntervalMs);
  // Produces a block immediately, so that a chain that was stopped has a current head before the first call.
  await chain.produce();

  const nodes: Node[] = [];
  const ports = [options.port, ...new Array<number>(options.extraNodes ?? 0).fill(0)];
  const close = async () => {
    blocks.stop();
    await Promise.all(nodes.map((node) => node.close()));
    await chain.close();
  };
  try {
    for (const [index, port] of ports.entries()) {
      const faults = createFaults(index === 0 ? (options.faults ?? []) : []);
      const apis = servedApis(isBare);
      if (options.isDevApiOn) apis.set("dev_api", createDevApi(chain, faults, blocks.pause));
      nodes.push(await startNode({ chain, port, faults, apis }));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const [first] = nodes;
  if (!first) throw new Error("a chain has at least one address");
  return { url: first.url, port: first.port, chainId, urls: nodes.map(({ url }) => url), close };
}

function servedApis(isBare: boolean): Map<string, Api> {
  const apis = new Map<string, Api>([
    ["account_by_key_api", accountByKeyApi],
    ["account_history_api", accountHistoryApi],
    ["block_api", blockApi],
    ["condenser_api", { ...condenserApi, ...walletReads }],
    ["database_api", databaseApi],
    ["network_broadcast_api", networkBroadcastApi],
    ["rc_api", rcApi],
    ["transaction_status_api", transactionStatusApi],
  ]);
  if (!isBare) apis.set("bridge", bridgeApi);
  const names = () =>
    [...apis].flatMap(([api, methods]) => Object.keys(methods).map((name) => `${api}.${name}`));
  return apis.set("jsonrpc", { get_methods: () => names().sort() });
}

/** Produces a block every `intervalMs`, one at a time, or never if that is 0. */
function startBlocks(chain: Chain, intervalMs: number) {
  let isPaused = false;
  let isBusy = false;
  const tick = async () => {
    if (isPaused || isBusy) return;
    isBusy = true;
    await chain.produce().finally(() => {
      isBusy = false;
    });
  };
  const timer = intervalMs > 0 ? setInterval(() => void tick(), intervalMs) : undefined;
  return {
    pause: (isOn: boolean) => {
      isPaused = isOn;
    },
    stop: () => clearInterval(timer),
  };
}
