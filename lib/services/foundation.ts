import type { Config } from "../config.ts";
import { createHiveClient, type HiveClient } from "../hive/client.ts";
import { createHttpScope, type HttpScope, type HttpSettings } from "../http/http-scope.ts";
import { log } from "../log.ts";
import { metrics } from "../metrics.ts";
import { createLazyStore, createOpener } from "../store/lazy-store.ts";
import { openStore } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import { traceCall } from "../tracing.ts";
import type { AskSeller } from "../x402/discovery/ask-seller.ts";
import type { CatalogueOptions } from "../x402/discovery/options.ts";
import { type RunningFacilitator, startFacilitator } from "./facilitator.ts";
import { createStoreReporter } from "./report-store.ts";

/** The base of a server: of a gateway, or of a standalone facilitator. */
export type Foundation = {
  http: HttpScope;
  /** The store, which its first call opens. */
  store: Store;
  /**
   * Resolves once the store is open, so that operations that depend on it can refuse before they act. Returns no
   * promise if it is. @throws CodedError `degraded`
   */
  requireStore(): Promise<void> | undefined;
  hive: HiveClient;
  /** The first call starts the recovery of payments that an earlier process left open. */
  facilitator(): RunningFacilitator;
  /** Lets payments in progress finish. */
  close(): Promise<void>;
};

/** Creates the foundation. Anything that needs the network or a disk begins on first use. */
export function createFoundation(options: {
  config: Pick<Config, "hive" | "store" | "logLevel" | "catalogue"> & HttpSettings;
  network: string;
  /** Chain nodes that buyers' browsers can call, if the chain is not the main one. */
  publicNodes?: readonly string[];
  /** The account whose wrong transfers are written into its books. */
  sweeps?: string;
  /** True to warn when payments depend on one node, or on too few. */
  warns: boolean;
  /** Called with the seconds that this machine's clock is ahead of the chain's, and with 0 once it is right again. */
  onClock?: (aheadSeconds: number) => void;
  /** Answers for resources that this server sells itself; `null` for others. */
  askOwn?: CatalogueOptions["askOwn"];
}): Foundation {
  const { config, askOwn, ...rest } = options;
  log(config.logLevel);
  const http = createHttpScope(config);
  const opener = createOpener(() => openStore(config.store));
  const store = createLazyStore(opener, createStoreReporter(config.store.kind));
  const hive = createHiveClient({ ...config.hive, onFailover, onCall });
  let running: RunningFacilitator | null = null;
  return {
    http,
    store,
    requireStore: () => (opener.isOpen() ? undefined : opener.open().then(() => undefined)),
    hive,
    facilitator() {
      const catalogue = catalogueOf(config.catalogue, askOwn);
      running ??= startFacilitator({
        ...rest,
        ...{ store, client: hive, quorum: config.hive.quorum, catalogue },
      });
      return running;
    },
    async close() {
      await running?.facilitator.close();
      await hive.close();
      await store.close();
      await http.tracing?.flush();
    },
  };
}

/** A server that asks no others lists only what it sells itself. */
const catalogueOf = (
  { asksOthers, privateHosts }: Config["catalogue"],
  askOwn: CatalogueOptions["askOwn"] = () => null,
): CatalogueOptions => ({
  privateHosts,
  askOwn: asksOthers ? askOwn : (...asked) => askOwn(...asked) ?? askNobody(...asked),
});

const askNobody: AskSeller = () => Promise.reject(new Error("other servers are not asked"));

/** Adds a call to a chain node to the trace of the request that it serves. No trace context is sent to the node. */
const onCall = ({ method, host }: { method: string; host: string }) =>
  traceCall(method, { "rpc.system": "jsonrpc", "rpc.method": method, "server.address": host })?.end;

/** Counts calls that a chain node left unanswered. */
const onFailover = (call: "read" | "broadcast") => metrics().chainFailovers.inc({ call });
