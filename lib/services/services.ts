import { createScope, type Scope } from "../async/scope.ts";
import { createLogouts, type Logouts } from "../chat/access/logouts.ts";
import { createOpenSockets, type OpenSockets } from "../chat/access/open-sockets.ts";
import { createGateway, type Gateway } from "../chat/session/gateway.ts";
import type { Config } from "../config.ts";
import { createHiveClient, type HiveClient } from "../hive/client.ts";
import { createHttpScope, type HttpScope } from "../http/http-scope.ts";
import { createLazyStore, createOpener } from "../store/lazy-store.ts";
import { openStore } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import { type Authentication, createAuthentication } from "./authentication.ts";
import { onFailover, type RunningFacilitator, startFacilitator } from "./facilitator.ts";
import { createReadiness, type Readiness } from "./readiness.ts";

/** All that one gateway is made of. Several may run in one process; they share its log and its metrics alone. */
export type Services = {
  config: Config;
  http: HttpScope;
  /** Opened by its first call. */
  store: Store;
  /** Resolves when the store is open: what can't do without it refuses before it does anything. @throws CodedError `degraded` */
  requireStore(): Promise<void>;
  hive: HiveClient;
  chat: Gateway;
  sockets: OpenSockets;
  logouts: Logouts;
  /** A failure is not kept: the next call tries again. @throws CodedError `degraded` */
  authentication(): Promise<Authentication>;
  /** The first call starts the recovery of payments that an earlier process left open. */
  facilitator(): RunningFacilitator;
  readiness(): Promise<Readiness>;
  /** Begins what waits for no request: open payments come to their end, and the log tells what readiness warns of. */
  start(): void;
  own: Scope;
  /** Lets payments in work come to their end. */
  close(): Promise<void>;
};

/** Creates a gateway's services; what needs the network or a disk begins with its first use. */
export function createServices(config: Config): Services {
  const opener = createOpener(() => openStore(config.store));
  const store = createLazyStore(opener);
  const requireStore = async () => void (await opener.open());
  const http = createHttpScope(config);
  const hive = createHiveClient({ ...config.hive, onFailover });
  const sockets = createOpenSockets();
  const logouts = createLogouts(store);
  let chat: Gateway | null = null;
  let authentication: Promise<Authentication> | null = null;
  let facilitator: RunningFacilitator | null = null;
  /** By the chain's clock: a machine's clock that was set must let in nobody whose token is over. */
  let clockAheadMs = 0;

  const services: Services = {
    config,
    http,
    store,
    requireStore,
    hive,
    get chat() {
      chat ??= createGateway({ config, store, requireStore, hive, sockets, logouts, quotas: http.quotas });
      return chat;
    },
    sockets,
    logouts,
    authentication() {
      authentication ??= requireStore()
        .then(() => createAuthentication({ config, store, hive, now: () => Date.now() - clockAheadMs }))
        .catch((error: unknown) => {
          authentication = null;
          throw error;
        });
      return authentication;
    },
    facilitator() {
      const { hive: settings, x402, sandbox } = config;
      facilitator ??= startFacilitator({
        store,
        client: hive,
        network: x402.network,
        quorum: settings.quorum,
        warns: sandbox === null,
        onClock(aheadSeconds) {
          clockAheadMs = aheadSeconds * 1000;
        },
      });
      return facilitator;
    },
    readiness: createReadiness({ http, store, hive, chat: () => services.chat }),
    start() {
      services.facilitator();
      services.readiness().catch(() => {
        // Whoever asks is told.
      });
    },
    own: createScope(),
    async close() {
      await facilitator?.facilitator.close();
      await hive.close();
      await store.close();
    },
  };
  return services;
}
