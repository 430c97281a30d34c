import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { sendResponse, toWebRequest } from "../../lib/http/node-request.ts";

export type WebServer = { url: string; close(): Promise<void> };

/** Serves a node request listener, such as an Express app, on a free port of 127.0.0.1. */
export async function serveNode(listener: RequestListener): Promise<WebServer> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Serves a function from web request to web response. A thrown error becomes a bare 500. */
export function serveWeb(answer: (request: Request) => Promise<Response> | Response): Promise<WebServer> {
  return serveNode(async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) gone.abort();
    });
    try {
      await sendResponse(await answer(toWebRequest(incoming, gone.signal, 0, outgoing)), incoming, outgoing);
    } catch {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(500).end();
    }
  });
}

export async function serveFastify(app: FastifyInstance): Promise<WebServer> {
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    url,
    async close() {
      await app.close();
    },
  };
}
