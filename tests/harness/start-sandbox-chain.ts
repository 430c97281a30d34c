import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fault } from "../../sandbox/chain/faults.ts";
import { type StartChainOptions, startChain } from "../../sandbox/chain/start.ts";

type Params = Record<string, unknown>;
/** A fault as tests write it: by default for the method `*`, and without a limit on calls. */
type FaultInput = Fault extends infer F
  ? F extends Fault
    ? Omit<F, "method" | "body"> & { method?: string; body?: string }
    : never
  : never;

export type RpcError = {
  code: number;
  message: string;
  data?: { code: number; name: string; message: string };
};
export type RpcAnswer = { jsonrpc: string; id: unknown; result?: unknown; error?: RpcError };

/** Posts one JSON-RPC call and returns the whole answer, even if it is an error. */
export async function callRpc(url: string, method: string, params: unknown): Promise<RpcAnswer> {
  const response = await fetch(url, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await response.json()) as RpcAnswer;
}

export type SandboxChain = Awaited<ReturnType<typeof startSandboxChain>>;

/**
 * Starts an embedded chain for a test: a free port, a new folder (removed by `close`), fault controls on, and
 * by default blocks only from `produceBlocks`. Controls with a `node` act only on that address.
 */
export async function startSandboxChain(options: Partial<StartChainOptions> = {}) {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "sandbox-chain-")));
  const chain = await startChain({ port: 0, blockIntervalMs: 0, isDevApiOn: true, ...options, dataDir });

  const call = async (method: string, params: unknown, node = 0): Promise<unknown> => {
    const answer = await callRpc(chain.urls[node] ?? chain.url, method, params);
    if (answer.error) throw Object.assign(new Error(answer.error.message), { rpc: answer.error });
    return answer.result;
  };
  const dev = async (name: string, params: Params = {}, node = 0) => {
    await call(`dev_api.${name}`, params, node);
  };

  return {
    ...chain,
    dataDir,
    call,
    produceBlocks: (count = 1) => dev("produce_blocks", { count }),
    pause: (isOn: boolean) => dev("pause", { isOn }),
    advanceTime: (seconds: number) => dev("advance_time", { seconds }),
    fork: (given: { blocks?: number; losesTransactions?: boolean } = {}) => dev("fork", given),
    setLag: (blocks: number) => dev("set_lag", { blocks }),
    holdTransactions: (isOn: boolean) => dev("hold_transactions", { isOn }),
    setFault: (fault: FaultInput, node = 0) => dev("set_fault", fault as Params, node),
    clearFaults: (node = 0) => dev("clear_faults", {}, node),
    setAccount: (change: { name: string } & Params) => dev("set_account", change),
    setCommunity: (change: { name: string; title: string } & Params) => dev("set_community", change),
    setPost: (post: { author: string; permlink: string } & Params) => dev("set_post", post),
    async close() {
      await chain.close();
      if (!options.dataDir) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
