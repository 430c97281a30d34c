import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createHiveClient } from "../../lib/hive/client.ts";
import { sendResponse, toWebRequest } from "../../lib/http/node-request.ts";
import { Secret } from "../../lib/secret.ts";
import { openStore } from "../../lib/store/open-store.ts";
import { createFacilitator, createFacilitatorHandlers } from "../../lib/x402/facilitator/index.ts";
import { dieIn } from "./die-in.ts";
import type { FacilitatorProcessOptions } from "./start-facilitator-process.ts";

/**
 * The child of `startFacilitatorProcess`: a real facilitator, whose store and chain client can kill it at a
 * given place.
 */
const options = JSON.parse(process.argv[2] ?? "") as FacilitatorProcessOptions;
const given = {
  store: await openStore(
    options.store.kind === "redis" ? { kind: "redis", url: new Secret(options.store.url) } : options.store,
  ),
  client: createHiveClient({
    nodes: options.nodes,
    chainId: options.chainId,
    ...(options.attemptMs !== undefined && { timeoutMs: options.attemptMs }),
  }),
};
const { store, client } = options.diesAt ? dieIn(options.diesAt, given) : given;
const facilitator = createFacilitator({
  store,
  client,
  waitMs: options.waitMs ?? 5000,
  pollMs: 20,
  recoverEveryMs: 100,
});
const handlers = createFacilitatorHandlers(facilitator, (error) => console.error(error));
const table: Record<string, (request: Request) => Promise<Response>> = {
  "/verify": handlers.verify,
  "/settle": handlers.settle,
  "/health": handlers.health,
};
const server = createServer((incoming, outgoing) => {
  const gone = new AbortController();
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  const serve = async () => {
    const answer = await table[incoming.url ?? ""]?.(toWebRequest(incoming, gone.signal, 0));
    await sendResponse(answer ?? new Response(null, { status: 404 }), incoming, outgoing);
  };
  serve().catch((error: unknown) => {
    console.error(error);
    outgoing.destroy();
  });
});
facilitator.start();
// Makes the store record its first use. In some tests the store is unavailable.
await facilitator.recover().catch(() => {});
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
