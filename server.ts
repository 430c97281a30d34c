import cluster from "node:cluster";
import { once } from "node:events";
import { type IncomingMessage, Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import next from "next";
import { spokenBy } from "./app/(demo)/_ui/language.ts";
import { contents } from "./app/(demo)/docs/contents.ts";
import { bindUsers } from "./lib/chat/access/identities.ts";
import { createChatUpgrade } from "./lib/chat/websocket/upgrade.ts";
import { currentConfig, environment, loadConfig, readSettings } from "./lib/config.ts";
import { readEnvFile } from "./lib/env-file.ts";
import { createDispatcher } from "./lib/http/dispatch.ts";
import { createHttpServer, shutDown } from "./lib/http/http-server.ts";
import { readNextApp } from "./lib/http/next-app.ts";
import { wishOf } from "./lib/http/page-language.ts";
import { createPages } from "./lib/http/pages.ts";
import { warnOfPlainHttp } from "./lib/http/plain-http.ts";
import { compileTemplates } from "./lib/http/route-table.ts";
import { staticFilesOf } from "./lib/http/static-files.ts";
import { log } from "./lib/log.ts";
import { endInOrder, exitOnStartupError, lockDataDir } from "./lib/services/process-end.ts";
import { listenerOf, processServices } from "./lib/services/process-services.ts";
import { readOptions } from "./lib/services/read-options.ts";
import { joinLeader, leadWorkers, reportServing } from "./lib/services/workers.ts";
import { Settings } from "./lib/settings.ts";
import { awaitStore } from "./lib/store/lazy-store.ts";
import type { Sandbox } from "./sandbox/start.ts";

/** Pages that are the same for every reader of a language while this build runs with these settings. */
const unchangingPages = new Set([
  "/reference",
  "/docs",
  ...Object.keys(contents).map((name) => `/docs/${name}`),
]);

const USAGE = `Usage: npm start [-- --sandbox], npm run dev, npm run quickstart

Serves the gateway and its pages until SIGTERM or SIGINT. Settings come from the environment and .env: .env.example has them all.

  --sandbox  with a Mattermost and a chain of its own, in DATA_DIR/sandbox; settings may be missing
  --dev      pages from their sources, built when they are asked for`;

async function start(): Promise<void> {
  const { values: options } = readOptions(USAGE, {
    options: { sandbox: { type: "boolean", default: false }, dev: { type: "boolean", default: false } },
  });
  if (joinLeader()) return serve(options, handedSandbox());
  readEnvFile();
  if (options.sandbox) {
    // The sandbox fills in missing settings. Invalid settings, and another process that uses the sandbox's
    // folder, must be detected before it stores anything.
    const { DATA_DIR = ".data" } = readSettings(Settings.partial(), environment());
    lockDataDir(`${DATA_DIR}/sandbox`);
  }
  const sandbox = options.sandbox
    ? await (await import("./sandbox/start.ts")).startSandbox(environment())
    : null;
  const settings = sandbox?.settings ?? environment();
  const { workers, host, port } = loadConfig(settings, sandbox?.info ?? null);
  // In development there is one process, because Next watches the sources only once.
  if (workers === 1 || options.dev) return serve(options, sandbox);
  await leadWorkers({
    count: workers,
    script: fileURLToPath(import.meta.url),
    ...{ host, port },
    environment: sandbox ? handOver(sandbox) : {},
    onServing: (url) => announce(url, sandbox),
    close: async () => sandbox?.close(),
  });
}

/** The variable that describes the leader's sandbox to its workers. */
const HANDED = "HIVEGATE_SANDBOX";

function handOver({ settings, info, people }: Sandbox): Record<string, string | undefined> {
  return { ...settings, [HANDED]: JSON.stringify({ info, people }) };
}

function handedSandbox(): Sandbox | null {
  const text = environment()[HANDED];
  if (text === undefined) return null;
  return { ...JSON.parse(text), settings: environment(), notice: null, close: async () => undefined };
}

function announce(url: string, sandbox: Sandbox | null): void {
  if (sandbox?.notice) console.log(sandbox.notice);
  console.log(`Hivegate serves ${url}${sandbox ? " on the sandbox" : ""}`);
}

async function serve(options: { dev: boolean }, sandbox: Sandbox | null): Promise<void> {
  const config = currentConfig(loadConfig(sandbox?.settings ?? environment(), sandbox?.info ?? null));
  listenerOf("server.ts");
  const services = processServices();
  warnOfPlainHttp(config);
  // Next would add its own upgrade listener to this server and end our websockets, so it gets a server that
  // never listens.
  const nextUpgrades = new Server();
  const app = next({ dev: options.dev, httpServer: nextUpgrades, hostname: config.host, port: config.port });
  await app.prepare();
  const askNext = app.getRequestHandler();
  const handToNext = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    askNext(incoming, outgoing).catch((err: unknown) => {
      log().error({ err }, "Next failed");
      outgoing.destroy();
    });
  };
  const upgradeChat = createChatUpgrade(services);
  services.start();
  const built = options.dev ? null : readNextApp(process.cwd());
  const server = createHttpServer({
    http: services.http,
    // In development, Next serves the routes too, from their current source.
    dispatcher: built && createDispatcher((await import("./app/api/routes.ts")).routes, services, built),
    next: built
      ? createPages({
          render: handToNext,
          kept: unchangingPages,
          files: staticFilesOf(process.cwd()),
          takesTurns: isOwnPage(built.entries),
          languageOf: (incoming) => spokenBy(wishOf(incoming)).language,
          trustProxy: config.trustProxy,
        })
      : handToNext,
    upgradeOf: (path) => {
      if (path === "/api/chat/websocket") return upgradeChat;
      const isReload = options.dev && path.startsWith("/_next/");
      return isReload ? (...upgrade) => nextUpgrades.emit("upgrade", ...upgrade) : null;
    },
  });

  server.listen(config.port, config.host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const ending = new AbortController();
  endInOrder(async () => {
    ending.abort();
    await shutDown(server, services.http, services.sockets.closeAll);
    await Promise.allSettled([app.close(), sandbox?.close(), services.close()]);
  });
  await awaitStore(services.store, config.store.kind, ending.signal);
  if (ending.signal.aborted) return;
  await bindUsers(services.store, sandbox?.people ?? []);
  const url = `http://${host}:${port}`;
  if (cluster.isWorker) reportServing(url);
  else announce(url, sandbox);
}

/**
 * Creates a function that returns whether a path is a page of the demo, or has no page. Pages of an app that
 * extends this one do not wait for a turn to render.
 */
function isOwnPage(entries: Readonly<Record<string, string>>): (path: string) => boolean {
  const find = compileTemplates(entries);
  return (path) => {
    const entry = find(path)?.value;
    return entry === undefined || entry.startsWith("/(demo)/");
  };
}

start().catch(exitOnStartupError);
