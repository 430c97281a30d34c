import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { FacilitatorConfig } from "../facilitator-config.ts";
import { trustNote } from "../hive/agree-among.ts";
import { createHiveClient } from "../hive/client.ts";
import { prependHeader } from "../http/answer.ts";
import { clientAddressOf } from "../http/client-address.ts";
import { createDispatcher } from "../http/dispatch.ts";
import { errorResponse } from "../http/error-response.ts";
import { createGatewayServer } from "../http/gateway-server.ts";
import { requestIdOf, setCommonHeaders, setCorsHeaders, setPreflightHeaders } from "../http/headers.ts";
import { spendQuota } from "../http/rate-limit.ts";
import { recordRequest } from "../http/record-request.ts";
import { serveMetrics } from "../http/serve-metrics.ts";
import { shutDown } from "../http/shut-down.ts";
import { log } from "../log.ts";
import { onFailover, paymentHooks } from "../services/payment-hooks.ts";
import { awaitStore, createLazyStore, createOpener } from "../store/lazy-store.ts";
import { openStore } from "../store/open-store.ts";
import { createFacilitator, createFacilitatorHandlers } from "../x402/facilitator/index.ts";

/** Anybody may call from anywhere: there are no cookies. */
const publicly = { publicUrl: "http://localhost", allowedOrigins: [] };
const quota = { requests: 1200, windowSeconds: 60 };

/** Serves a facilitator alone, with its routes at `/`; `close` lets payments in work come to their end. */
export async function serveFacilitator(config: FacilitatorConfig): Promise<{
  url: string;
  /** Resolves once the store takes writes, or the facilitator is closed. */
  storeAwaited: Promise<void>;
  close(): Promise<void>;
}> {
  const store = createLazyStore(createOpener(() => openStore(config.store)));
  const client = createHiveClient({ ...config.hive, onFailover });
  const note = trustNote(client.health().length, config.hive.quorum);
  if (note !== null) log().warn(note);
  const facilitator = createFacilitator({
    store,
    client,
    network: config.network,
    quorum: config.hive.quorum,
    ...paymentHooks,
  });
  const handlers = createFacilitatorHandlers(facilitator, (error) =>
    log().error({ err: error }, "facilitator failed"),
  );

  type Serve = (request: Request, options: { requestId: string }) => Promise<Response>;
  const face = (name: string, serve: Serve) => async (request: Request) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(request);
    const quotas = new Headers();
    let failure: unknown;
    let response: Response;
    try {
      const isLimited = config.rateLimits && request.method === "POST";
      if (isLimited) spendQuota({ ...quota, name: `x402-${name}` }, clientAddressOf(request), quotas);
      response = await serve(request, { requestId });
    } catch (error) {
      failure = error;
      response = errorResponse(error, requestId);
    }
    for (const [header, value] of quotas) prependHeader(response.headers, header, value);
    setCommonHeaders(response.headers, requestId);
    setCorsHeaders(response.headers, request, publicly);
    const ms = performance.now() - startedAt;
    recordRequest({ request, requestId, params: {}, status: response.status, ms, failure });
    return response;
  };

  const OPTIONS = face("preflight", async () => {
    const response = new Response(null, { status: 204 });
    setPreflightHeaders(response.headers);
    return response;
  });

  const server = createGatewayServer({
    dispatcher: createDispatcher(
      {
        "/verify": { POST: face("verify", handlers.verify), OPTIONS },
        "/settle": { POST: face("settle", handlers.settle), OPTIONS },
        "/health": { GET: face("health", handlers.health), OPTIONS },
        "/supported": { GET: face("supported", handlers.supported), OPTIONS },
        "/metrics": {
          GET: face("metrics", (request) => serveMetrics(request, config.metricsToken)),
          OPTIONS,
        },
      },
      { trustProxy: config.trustProxy },
    ),
    pages: null,
    upgradeOf: () => null,
  });
  facilitator.start();
  server.listen(config.port, config.host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const closing = new AbortController();
  return {
    url: `http://${config.host === "0.0.0.0" ? "127.0.0.1" : config.host}:${port}`,
    storeAwaited: awaitStore(store, config.store.kind, closing.signal),
    async close() {
      closing.abort();
      await shutDown(server);
      await facilitator.close();
      await client.close();
      await store.close();
    },
  };
}
