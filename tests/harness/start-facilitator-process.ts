import { fork } from "node:child_process";
import { once } from "node:events";
import type { SettleResponse } from "../../lib/x402/types.ts";
import { bundleOf } from "./bundled-processes.ts";
import { collectOutput } from "./collect-output.ts";
import type { PlaceToDie } from "./die-in.ts";

/** Limit for a hanging call. On a busy machine, a working call may take a while. */
const PATIENCE_MS = 60_000;

export type FacilitatorProcessOptions = {
  nodes: readonly string[];
  chainId: string;
  store: { kind: "sqlite"; dataDir: string } | { kind: "redis"; url: string };
  waitMs?: number;
  /**
   * Limit of one attempt at a node, for nodes that hang. The default is the product's, so that on a busy
   * machine no node counts as dead.
   */
  attemptMs?: number;
  diesAt?: PlaceToDie;
};

export type FacilitatorProcess = Awaited<ReturnType<typeof startFacilitatorProcess>>;

/** Runs a facilitator in a separate process, which can be killed, or kills itself at a given place. */
export async function startFacilitatorProcess(options: FacilitatorProcessOptions) {
  const child = fork(bundleOf("tests/harness/serve-facilitator-process.ts"), [JSON.stringify(options)], {
    silent: true,
  });
  const { output } = collectOutput(child);
  const exited = once(child, "exit");
  const started = await Promise.race([once(child, "message"), exited.then(() => null)]);
  if (!started) throw new Error(`the facilitator did not start:\n${output()}`);
  const { url } = started[0] as { url: string };

  const settle = async (
    request: object,
    given: { key?: string; signal?: AbortSignal } = {},
  ): Promise<{ status: number; body: SettleResponse }> => {
    const response = await fetch(`${url}/settle`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(given.key && { "idempotency-key": given.key }) },
      body: JSON.stringify(request),
      signal: given.signal ?? AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: response.status, body: (await response.json()) as SettleResponse };
  };

  return {
    url,
    pid: child.pid ?? 0,
    output,
    exited,
    settle,
    /** Settles repeatedly until the outcome is no longer open. @throws Error if it stays open */
    async settleToTheEnd(request: object, given: { key?: string } = {}) {
      const end = performance.now() + PATIENCE_MS;
      for (;;) {
        const { body } = await settle(request, given);
        if (body.errorReason !== "settlement_pending") return body;
        if (performance.now() > end) throw new Error(`the settlement stays open:\n${output()}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async close() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
