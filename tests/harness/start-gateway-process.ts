import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleOf } from "./bundled-processes.ts";
import { collectOutput } from "./collect-output.ts";
import type { Gateway, GatewayOptions } from "./start-gateway.ts";

export type GatewayProcess = Gateway & {
  pid: number;
  /** Returns the standard output so far, which contains log lines if `LOG_LEVEL` is set. */
  output(): string;
  /** Kills the process immediately (`SIGKILL`). The data folder stays for the next start. */
  kill(): Promise<void>;
};

/** `clockAheadMs`: how far the process's wall clock is ahead of the others'. */
type ProcessOptions = GatewayOptions & { clockAheadMs?: number };

const wallClockAhead = (ms: number) =>
  `data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${ms};`)}`;

/**
 * Serves API and websocket in a separate process, which can be killed. With the `settings.DATA_DIR` of a
 * killed process, another one continues where it stopped.
 */
export async function startGatewayProcess(options: ProcessOptions = {}): Promise<GatewayProcess> {
  const dataDir = options.settings?.DATA_DIR ?? (await mkdtemp(join(tmpdir(), "hivegate-")));
  const given = { ...options, settings: { ...options.settings, DATA_DIR: dataDir } };
  const child = fork(bundleOf("tests/harness/serve-gateway.ts"), [JSON.stringify(given)], {
    execArgv: ["--import", wallClockAhead(options.clockAheadMs ?? 0)],
    // The process is a bundle already, so it must not load the bundled parts.
    env: { ...process.env, GATEWAY_FROM: undefined },
    silent: true,
  });
  const { output } = collectOutput(child);
  const exited = once(child, "exit");
  const started = await Promise.race([once(child, "message"), exited.then(() => null)]);
  if (!started) throw new Error(`the gateway did not start:\n${output()}`);
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    child.kill(signal);
    await exited;
  };
  return {
    url: (started[0] as { url: string }).url,
    dataDir,
    pid: child.pid ?? 0,
    output,
    kill: () => end("SIGKILL"),
    async close() {
      await end("SIGTERM");
      if (!options.settings?.DATA_DIR) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
