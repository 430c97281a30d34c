import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { routes } from "../../app/api/routes.ts";
import { createChatUpgrade, type WebsocketTiming } from "../../lib/chat/websocket/upgrade.ts";
import { currentConfig, loadConfig, type SandboxInfo } from "../../lib/config.ts";
import { createDispatcher } from "../../lib/http/dispatch.ts";
import { createGatewayServer } from "../../lib/http/gateway-server.ts";
import { closeAppFacilitator } from "../../lib/services/app-facilitator.ts";
import { closeSharedStore } from "../../lib/services/shared-store.ts";

export type Gateway = { url: string; dataDir: string; close(): Promise<void> };

export type GatewayOptions = {
  /** Override the harness's own: every setting of the contract. Unset addresses point at a closed port. */
  settings?: Readonly<Record<string, string>>;
  sandbox?: SandboxInfo | null;
};

const closed = {
  CHAT_BASE_URL: "http://127.0.0.1:9/api/v4",
  CHAT_ADMIN_TOKEN: "a".repeat(26),
  CHAT_TEAM_ID: "t".repeat(26),
  HIVE_NODES: "http://127.0.0.1:9",
  SESSION_SECRET: "0123456789abcdef0123456789abcdef",
  RATE_LIMITS: "off",
  LOG_LEVEL: "silent",
  HOST: "127.0.0.1",
  PORT: "0",
};

let isRunning = false;

/**
 * Serves API and websocket (no pages) in this process on a free port. One at a time, because the configuration and
 * all that hangs on it is the process's own; `startGatewayProcess` has no such limit.
 */
export async function startGateway(
  { settings = {}, sandbox = null }: GatewayOptions = {},
  timing?: WebsocketTiming,
): Promise<Gateway> {
  if (isRunning) throw new Error("a gateway runs in this process already");
  // What a call of an earlier gateway that ended late has left.
  forgetProcessWide();
  const ownDir = settings.DATA_DIR ? null : await mkdtemp(join(tmpdir(), "hivegate-"));
  const config = currentConfig(loadConfig({ ...closed, DATA_DIR: ownDir ?? "", ...settings }, sandbox));
  const upgradeChat = createChatUpgrade(config, timing);
  const server = createGatewayServer({
    dispatcher: createDispatcher(routes, { trustProxy: config.trustProxy, origins: config }),
    pages: null,
    upgradeOf: (path) => (path === "/api/chat/websocket" ? upgradeChat : null),
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(config.port, config.host);
  await once(server, "listening");
  isRunning = true;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dataDir: config.dataDir,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      // What is written down of a connection is written when it closes.
      await closed;
      await closeAppFacilitator();
      await closeSharedStore();
      forgetProcessWide();
      isRunning = false;
      if (ownDir) await rm(ownDir, { recursive: true, force: true });
    },
  };
}

function forgetProcessWide(): void {
  for (const key of Object.getOwnPropertySymbols(globalThis))
    if (key.description?.startsWith("hivegate.")) Reflect.deleteProperty(globalThis, key);
}
