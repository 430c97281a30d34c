import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import type { HttpScope } from "./http-scope.ts";
import { noteClientAddress } from "./node-request.ts";
import { expectPageFor, makePageFor } from "./page-language.ts";

/** Hands a request to Next and lets its routes read the client's address, and its pages the reader's language. */
export function introduceToNext<T>(
  incoming: IncomingMessage,
  http: Pick<HttpScope, "trustProxy">,
  hand: () => T,
): T {
  noteClientAddress(incoming, http.trustProxy);
  return makePageFor(incoming, hand);
}

/**
 * On servers where Next itself listens, lets its routes read the client's address, and its pages the reader's
 * language, for every request of the process.
 */
export function introduceAllToNext(http: Pick<HttpScope, "trustProxy">): void {
  subscribe("http.server.request.start", (message) => {
    const { request } = message as { request: IncomingMessage };
    noteClientAddress(request, http.trustProxy);
    expectPageFor(request);
  });
}
