import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";
import { createDispatcher } from "../../lib/http/dispatch.ts";
import type { HttpScope } from "../../lib/http/http-scope.ts";
import { createHttpServer } from "../../lib/http/http-server.ts";
import type { RouteTable } from "../../lib/http/route-table.ts";
import { log } from "../../lib/log.ts";
import { httpScope } from "./http-scope.ts";

type Next = Parameters<typeof createHttpServer>[0]["next"];

/**
 * Opens the HTTP server of a gateway for a whole file, with only the test's routes. Returns a function that
 * returns its port.
 */
export function openHttpServer(
  tableFor: (http: HttpScope) => RouteTable,
  next: Next = (_incoming, outgoing) => outgoing.end("a page"),
): () => number {
  const http = httpScope();
  const dispatcher = createDispatcher(tableFor(http), { http });
  const server = createHttpServer({ http, dispatcher, next, upgradeOf: () => null });
  beforeAll(async () => {
    log("silent");
    await once(server.listen(0, "127.0.0.1"), "listening");
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return () => (server.address() as AddressInfo).port;
}
