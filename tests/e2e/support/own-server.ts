import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../harness/free-port.ts";
import { startMattermostProcess } from "../../harness/start-mattermost-process.ts";
import { startServer } from "../../harness/start-server.ts";

export type OwnServer = Awaited<ReturnType<typeof startOwnServer>>;

/**
 * Starts the built server for one test file, with a Mattermost that can be killed and restarted. `front`
 * starts a server in front of Mattermost, and returns its address.
 */
export async function startOwnServer(
  more: Readonly<Record<string, string>> = {},
  front: (mattermostUrl: string) => Promise<string> = async (mattermostUrl) => mattermostUrl,
) {
  const dataDir = await mkdtemp(join(tmpdir(), "hivegate-e2e-"));
  const mattermostPort = await freePort();
  const startMattermost = () => startMattermostProcess(join(dataDir, "mattermost"), mattermostPort);
  let mattermost = await startMattermost();
  const port = await freePort();
  const settings = {
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    RATE_LIMITS: "off",
    LOG_LEVEL: "error",
    CHAT_BASE_URL: await front(mattermost.url),
    CHAT_ADMIN_TOKEN: mattermost.adminToken,
    CHAT_TEAM_ID: mattermost.teamId,
    ...more,
  };
  const start = async () => {
    const started = await startServer(["--sandbox"], settings);
    if (!("url" in started)) throw new Error(started.output);
    return started;
  };
  let server = await start();
  const stopServer = async () => {
    server.child.kill("SIGKILL");
    await server.exited;
  };

  return {
    url: `http://localhost:${port}`,
    mattermostUrl: mattermost.url,
    teamId: mattermost.teamId,
    /** Calls Mattermost as its admin. */
    async admin(method: string, path: string, body?: unknown) {
      const response = await fetch(`${mattermost.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${mattermost.adminToken}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
      return response.json();
    },
    killMattermost: () => mattermost.kill(),
    async startMattermost() {
      mattermost = await startMattermost();
    },
    killServer: stopServer,
    async startServer() {
      server = await start();
    },
    async close() {
      await stopServer();
      await mattermost.kill();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
