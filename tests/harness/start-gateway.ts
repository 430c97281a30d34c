import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WebsocketTiming } from "../../lib/chat/websocket/upgrade.ts";
import type { SandboxInfo } from "../../lib/config.ts";
import type { Services } from "../../lib/services/services.ts";
import { bundleOf } from "./bundled-processes.ts";
import { nextHandler } from "./next-handler.ts";

export type Gateway = { url: string; dataDir: string; close(): Promise<void> };

/** A gateway in this process, whose internals tests may use. */
export type LocalGateway = Gateway & { services: Services };

export type GatewayOptions = {
  /**
   * Settings that override the harness's, which set everything the contract requires. Addresses that are not
   * set point at a closed port.
   */
  settings?: Readonly<Record<string, string>>;
  sandbox?: SandboxInfo | null;
};

const closed = {
  CHAT_BASE_URL: "http://127.0.0.1:9/api/v4",
  CHAT_ADMIN_TOKEN: "a".repeat(26),
  CHAT_TEAM_ID: "t".repeat(26),
  HIVE_NODES: "http://127.0.0.1:9",
  SESSION_SECRET: "0123456789abcdef0123456789abcdef",
  CHAT_APP_IDS: "hivegate",
  PAYWALL_ACCOUNT: "shop",
  RATE_LIMITS: "off",
  LOG_LEVEL: "silent",
  HOST: "127.0.0.1",
  PORT: "0",
};

let running = 0;

/** Loads the parts from their sources, or as assembled by the server's build. */
const loadParts = (): Promise<typeof import("./gateway-parts.ts")> =>
  process.env.GATEWAY_FROM === "build"
    ? import(bundleOf("tests/harness/gateway-parts.ts"))
    : import("./gateway-parts.ts");

/**
 * Serves API and websocket (no pages) in this process on a free port. Several gateways share the process's
 * log and metrics.
 */
export async function startGateway(
  { settings = {}, sandbox = null }: GatewayOptions = {},
  timing?: WebsocketTiming,
): Promise<LocalGateway> {
  // A late call of an earlier gateway may have left something behind.
  if (running === 0) forgetProcessWide();
  running += 1;
  const ownDir = settings.DATA_DIR ? null : await mkdtemp(join(tmpdir(), "hivegate-"));
  const { createChatUpgrade, createDispatcher, createHttpServer, createServices, ...parts } =
    await loadParts();
  const config = parts.loadConfig({ ...closed, DATA_DIR: ownDir ?? "", ...settings }, sandbox);
  const services = createServices(config);
  const upgradeChat = createChatUpgrade(services, timing);
  const throughNext = await nextHandler();
  const server = createHttpServer({
    http: services.http,
    dispatcher: throughNext ? null : createDispatcher(parts.routes, services),
    next:
      throughNext &&
      ((incoming, outgoing) => void parts.serveWith(services, () => throughNext(incoming, outgoing))),
    upgradeOf: (path) => (path === "/api/chat/websocket" ? upgradeChat : null),
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(config.port, config.host);
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dataDir: config.dataDir,
    services,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      // A connection is recorded when it closes.
      await closed;
      await services.close();
      running -= 1;
      if (running === 0) forgetProcessWide();
      if (ownDir) await rm(ownDir, { recursive: true, force: true });
    },
  };
}

function forgetProcessWide(): void {
  // A socket that closes late still writes its log line. The other values are only read when a module is
  // loaded.
  const names = [
    "log",
    "page-wish",
    "page-wishes",
    "client-address-header",
    "request-under-way",
    "serving",
    "listener",
  ];
  const kept = names.map((name) => `hivegate.${name}`);
  for (const key of Object.getOwnPropertySymbols(globalThis))
    if (key.description?.startsWith("hivegate.") && !kept.includes(key.description))
      Reflect.deleteProperty(globalThis, key);
}
