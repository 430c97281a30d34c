import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { noteClientAddress } from "./node-request.ts";
import { expectPageFor, makePageFor } from "./page-language.ts";
import type { HttpScope } from "./record-request.ts";

/** Hands a request to Next while its routes can read the client's address, and its pages their reader's language. */
export function introduceToNext<T>(
  incoming: IncomingMessage,
  http: Pick<HttpScope, "trustProxy">,
  hand: () => T,
): T {
  noteClientAddress(incoming, http.trustProxy);
  return makePageFor(incoming, hand);
}

/** Does the same for every request of the process, where Next listens itself and hands on none of ours. */
export function introduceAllToNext(http: Pick<HttpScope, "trustProxy">): void {
  subscribe("http.server.request.start", (message) => {
    const { request } = message as { request: IncomingMessage };
    noteClientAddress(request, http.trustProxy);
    expectPageFor(request);
  });
}
