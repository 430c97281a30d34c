import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../harness/free-port.ts";
import { startServer } from "../../harness/start-server.ts";
import { openOutsideTeam } from "./outside-team.ts";
import { tellStory } from "./tell-story.ts";

/**
 * Starts the built server for the tests of one worker, on the sandbox, or on its chain and the environment's
 * Mattermost.
 */
export async function startWorkerServer() {
  const dataDir = await mkdtemp(join(tmpdir(), "hivegate-e2e-"));
  const port = await freePort();
  const team = await openOutsideTeam();
  const started = await startServer(["--sandbox"], {
    DATA_DIR: dataDir,
    PORT: String(port),
    RATE_LIMITS: "off",
    // Allows pictures and pages from the tests' own servers.
    OUTSIDE_PRIVATE_HOSTS: "127.0.0.1",
    LOG_LEVEL: "error",
    ...team?.settings,
  });
  if (!("url" in started)) throw new Error(started.output);
  const url = `http://localhost:${port}`;
  const close = async () => {
    started.child.kill("SIGTERM");
    await started.exited;
    await team?.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    if (team) await tellStory(url);
  } catch (error) {
    await close();
    throw error;
  }
  return { url, close };
}
