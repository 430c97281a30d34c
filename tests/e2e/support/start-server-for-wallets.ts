import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../harness/free-port.ts";
import { startHiveAuthRelay } from "../../harness/start-hiveauth-relay.ts";
import { startServer } from "../../harness/start-server.ts";

/** Starts the built server on the sandbox with every wallet: an app at HiveSigner, and a relay of HiveAuth. */
export async function startServerForWallets(
  more: Readonly<Record<string, string>> = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const relay = await startHiveAuthRelay();
  const dataDir = await mkdtemp(join(tmpdir(), "hivegate-e2e-"));
  const port = await freePort();
  const started = await startServer(["--sandbox"], {
    ...{ DATA_DIR: dataDir, PORT: String(port), RATE_LIMITS: "off", LOG_LEVEL: "error" },
    ...{ HIVESIGNER_APP: "shop.app", HAS_URL: relay.url, ...more },
  });
  if (!("url" in started)) throw new Error(started.output);
  return {
    url: `http://localhost:${port}`,
    async close() {
      started.child.kill("SIGTERM");
      await started.exited;
      await rm(dataDir, { recursive: true, force: true });
      await relay.close();
    },
  };
}
