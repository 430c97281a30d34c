import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../harness/free-port.ts";
import { startMattermostProcess } from "../../harness/start-mattermost-process.ts";
import { startServer } from "../../harness/start-server.ts";

export type OwnServer = Awaited<ReturnType<typeof startOwnServer>>;

/** The built server for one test file, with a chat backend beside it that can be killed and started again. */
export async function startOwnServer(more: Readonly<Record<string, string>> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), "hivegate-e2e-"));
  const backendPort = await freePort();
  const startBackend = () => startMattermostProcess(join(dataDir, "backend"), backendPort);
  let backend = await startBackend();
  const port = await freePort();
  const settings = {
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${port}`,
    RATE_LIMITS: "off",
    LOG_LEVEL: "error",
    CHAT_BASE_URL: backend.url,
    CHAT_ADMIN_TOKEN: backend.adminToken,
    CHAT_TEAM_ID: backend.teamId,
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
    backendUrl: backend.url,
    teamId: backend.teamId,
    /** A call of the chat backend as its admin. */
    async admin(method: string, path: string, body?: unknown) {
      const response = await fetch(`${backend.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${backend.adminToken}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
      return response.json();
    },
    killBackend: () => backend.kill(),
    async startBackend() {
      backend = await startBackend();
    },
    killServer: stopServer,
    async startServer() {
      server = await start();
    },
    async close() {
      await stopServer();
      await backend.kill();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
