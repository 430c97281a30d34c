import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { FacilitatorConfig } from "../facilitator-config.ts";
import { createHiveClient } from "../hive/client.ts";
import { clientAddressOf } from "../http/client-address.ts";
import { createDispatcher } from "../http/dispatch.ts";
import { errorResponse } from "../http/error-response.ts";
import { createGatewayServer } from "../http/gateway-server.ts";
import { setCommonHeaders } from "../http/headers.ts";
import { spendQuota } from "../http/rate-limit.ts";
import { recordRequest } from "../http/record-request.ts";
import { requestIdOf } from "../http/request-id.ts";
import { log } from "../log.ts";
import { openStore } from "../store/open-store.ts";
import { createFacilitator, createFacilitatorHandlers } from "../x402/facilitator/index.ts";

const quota = { requests: 1200, windowSeconds: 60 };

/** Serves a facilitator alone, with its routes at `/`; `close` lets payments in work come to their end. */
export async function serveFacilitator(config: FacilitatorConfig): Promise<{
  url: string;
  close(): Promise<void>;
}> {
  const store = await openStore(config.store);
  const client = createHiveClient(config.hive);
  const facilitator = createFacilitator({
    store,
    client,
    network: config.network,
    onEvent: (event) => log().info(event, "payment"),
    onFault: (error) => log().warn({ err: error }, "open payments could not be looked after"),
  });
  const handlers = createFacilitatorHandlers(facilitator, (error) =>
    log().error({ err: error }, "facilitator failed"),
  );

  const face = (name: keyof typeof handlers) => async (request: Request) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(request);
    const quotas = new Headers();
    let failure: unknown;
    let response: Response;
    try {
      const isLimited = config.rateLimits && request.method === "POST";
      if (isLimited) spendQuota({ ...quota, name: `x402-${name}` }, clientAddressOf(request), quotas);
      response = await handlers[name](request);
    } catch (error) {
      failure = error;
      response = errorResponse(error, requestId);
    }
    for (const [header, value] of quotas) response.headers.set(header, value);
    setCommonHeaders(response.headers, requestId);
    response.headers.set("access-control-allow-origin", "*");
    const ms = performance.now() - startedAt;
    recordRequest({ request, requestId, params: {}, status: response.status, ms, failure });
    return response;
  };

  const server = createGatewayServer({
    dispatcher: createDispatcher(
      {
        "/verify": { POST: face("verify") },
        "/settle": { POST: face("settle") },
        "/health": { GET: face("health") },
        "/supported": { GET: face("supported") },
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
  return {
    url: `http://${config.host === "0.0.0.0" ? "127.0.0.1" : config.host}:${port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      await closed;
      await facilitator.close();
      await client.close();
      await store.close();
    },
  };
}
