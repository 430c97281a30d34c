import { existsSync } from "node:fs";
import { type IncomingMessage, Server, type ServerResponse } from "node:http";
import { listenerOf } from "../../lib/services/process-services.ts";

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

let prepared: Promise<Handler> | undefined;

/**
 * Returns the built Next of this process, prepared once, or null unless the run is one of `contract through
 * Next`.
 */
export async function nextHandler(): Promise<Handler | null> {
  if (process.env.GATEWAY_THROUGH !== "next") return null;
  prepared ??= prepare();
  return prepared;
}

async function prepare(): Promise<Handler> {
  if (!existsSync(".next/BUILD_ID")) throw new Error("This run needs the built app: npm run build");
  listenerOf("server.ts");
  // Next replaces `fetch` by a function that tees bodies, so a test that abandons a body would wait
  // forever.
  const { fetch } = globalThis;
  Object.defineProperty(globalThis, "fetch", { get: () => fetch, set: () => undefined });
  const { default: next } = await import("next");
  // Next would close the websockets of a server that it finds, as `server.ts` explains.
  const app = next({ dev: false, httpServer: new Server() });
  await app.prepare();
  return app.getRequestHandler();
}
