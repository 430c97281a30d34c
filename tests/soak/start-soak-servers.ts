import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type EndedCommand, type RunningServer, startCommand } from "../harness/start-command.ts";
import { startMattermostProcess } from "../harness/start-mattermost-process.ts";
import { startSandboxChain } from "../harness/start-sandbox-chain.ts";
import { startServer } from "../harness/start-server.ts";
import { reportsOnSignal, type Sample, samplesIn } from "./report-on-signal.ts";

/**
 * Starts the built app and the built standalone facilitator as separate processes without a sandbox.
 * Mattermost and the chain run next to them.
 */
export async function startSoakServers() {
  const dataDir = await mkdtemp(join(tmpdir(), "hivegate-soak-"));
  const chain = await startSandboxChain({ blockIntervalMs: 500 });
  const mattermost = await startMattermostProcess(join(dataDir, "mattermost"));
  const common = {
    ...reportsOnSignal,
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: "0",
    LOG_LEVEL: "error",
    HIVE_NODES: chain.url,
    HIVE_CHAIN_ID: chain.chainId,
    X402_NETWORK: "chain:sandbox",
  };
  const app = started(
    await startServer([], {
      ...common,
      DATA_DIR: join(dataDir, "app"),
      CHAT_BASE_URL: mattermost.url,
      CHAT_ADMIN_TOKEN: mattermost.adminToken,
      CHAT_TEAM_ID: mattermost.teamId,
      SESSION_SECRET: "0123456789abcdef0123456789abcdef",
    }),
  );
  const facilitator = started(
    await startCommand(process.execPath, ["dist/facilitator.js"], {
      settings: { ...common, DATA_DIR: join(dataDir, "facilitator") },
    }),
  );
  const servers = { app, facilitator };
  return {
    chain,
    urls: { app: app.url, facilitator: facilitator.url },
    /** Measures both processes, after a garbage collection. */
    async sample(): Promise<Record<keyof typeof servers, Sample>> {
      const [ofApp, ofFacilitator] = await Promise.all([sampleOf(app), sampleOf(facilitator)]);
      return { app: ofApp, facilitator: ofFacilitator };
    },
    /** Returns the lines that report faults. Both processes log nothing else. */
    faults: () =>
      Object.values(servers)
        .flatMap((server) => server.output().split("\n"))
        .filter((line) => /^\{"level":"(error|fatal)"|⨯/.test(line)),
    async close() {
      for (const server of Object.values(servers)) {
        server.child.kill("SIGTERM");
        await server.exited;
      }
      await mattermost.kill();
      await chain.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function started(server: RunningServer | EndedCommand): RunningServer {
  if (!("url" in server)) throw new Error(`ended with ${server.code}: ${server.output}`);
  return server;
}

async function sampleOf(server: RunningServer): Promise<Sample> {
  const before = samplesIn(server.output()).length;
  server.child.kill("SIGUSR2");
  for (;;) {
    const sample = samplesIn(server.output())[before];
    if (sample) return sample;
    await sleep(50);
  }
}
