import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { operations } from "../contract/operations.ts";
import type { FacilitatorConfig } from "../facilitator-config.ts";
import { localUrl } from "../http/client-address.ts";
import { createDispatcher } from "../http/dispatch.ts";
import { createHttpServer, shutDown } from "../http/http-server.ts";
import { createRoute, type Endpoints } from "../http/route.ts";
import type { RouteTable } from "../http/route-table.ts";
import { serveMetrics } from "../http/serve-metrics.ts";
import { createFoundation, type Foundation } from "../services/foundation.ts";
import { awaitStore } from "../store/lazy-store.ts";

/** Serves a standalone facilitator with its routes at `/`. `close` lets payments in progress finish. */
export async function serveFacilitator(config: Omit<FacilitatorConfig, "workers">): Promise<{
  url: string;
  /** Resolves once the store accepts writes, or the facilitator is closed. */
  storeAwaited: Promise<void>;
  close(): Promise<void>;
}> {
  const services = createFoundation({
    // Any origin is allowed, because there are no cookies.
    config: { ...config, publicUrl: "http://localhost", allowedOrigins: [] },
    network: config.network,
    warns: true,
  });
  const { http } = services;
  const { answers } = services.facilitator();
  const route = (path: string, endpoints: Endpoints<Foundation>) =>
    createRoute(path, endpoints, () => services);
  const table: RouteTable = {
    "/verify": route("/verify", {
      POST: {
        rules: operations["/api/x402/verify"].post,
        handler: ({ asked, requestId, onRefusal }) => answers.verify(asked, { requestId, onRefusal }),
      },
    }),
    "/settle": route("/settle", {
      POST: {
        rules: operations["/api/x402/settle"].post,
        handler: ({ asked, requestId, onRefusal }) => answers.settle(asked, { requestId, onRefusal }),
      },
    }),
    "/health": route("/health", {
      GET: {
        rules: operations["/api/x402/health"].get,
        handler: ({ request }) => answers.health(request),
      },
    }),
    "/supported": route("/supported", {
      GET: {
        rules: operations["/api/x402/supported"].get,
        handler: ({ request }) => answers.supported(request),
      },
    }),
    "/discovery/resources": route("/discovery/resources", {
      GET: {
        rules: operations["/api/x402/discovery/resources"].get,
        handler: ({ request }) => answers.resources(request),
      },
    }),
    "/discovery/search": route("/discovery/search", {
      GET: {
        rules: operations["/api/x402/discovery/search"].get,
        handler: ({ request }) => answers.search(request),
      },
    }),
    "/metrics": route("/metrics", {
      GET: {
        rules: operations["/api/metrics"].get,
        handler: ({ request }) => serveMetrics(request, config.metricsToken),
      },
    }),
  };
  const server = createHttpServer({
    http,
    dispatcher: createDispatcher(table, services),
    next: null,
    upgradeOf: () => null,
  });
  server.listen(config.port, config.host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const closing = new AbortController();
  return {
    url: localUrl(config.host, port),
    storeAwaited: awaitStore(services.store, config.store.kind, closing.signal),
    async close() {
      closing.abort();
      await shutDown(server, http);
      await services.close();
    },
  };
}
