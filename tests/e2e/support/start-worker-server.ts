import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../harness/free-port.ts";
import { startServer } from "../../harness/start-server.ts";

/** The built server on the sandbox, for the tests of one worker. */
export async function startWorkerServer() {
  const dataDir = await mkdtemp(join(tmpdir(), "hivegate-e2e-"));
  const port = await freePort();
  const started = await startServer(["--sandbox"], {
    DATA_DIR: dataDir,
    PORT: String(port),
    RATE_LIMITS: "off",
    LOG_LEVEL: "error",
  });
  if (!("url" in started)) throw new Error(started.output);
  return {
    url: `http://localhost:${port}`,
    async close() {
      started.child.kill("SIGTERM");
      await started.exited;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
