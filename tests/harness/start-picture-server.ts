import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { drawAvatar } from "../../sandbox/mattermost/routes/pictures.ts";

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

export type PictureServer = Awaited<ReturnType<typeof startPictureServer>>;

/** Returns a picture that a test can recognize by its name. */
export const pngOf = (name: string): Buffer => Buffer.from(drawAvatar(name));

/** Starts another site's server on loopback: `serve` sets a path's answer, and everything else is 404. */
export async function startPictureServer() {
  const paths = new Map<string, Serve>();
  const asked: IncomingMessage[] = [];
  const server = createServer((incoming, outgoing) => {
    asked.push(incoming);
    const serve = paths.get((incoming.url ?? "").replace(/\?.*$/, ""));
    if (serve) serve(incoming, outgoing);
    else outgoing.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    serve: (path: string, serve: Serve) => paths.set(path, serve),
    serveBytes: (path: string, bytes: Uint8Array | string, headers: Record<string, string> = {}) =>
      paths.set(path, (_incoming, outgoing) => outgoing.writeHead(200, headers).end(bytes)),
    /** Returns the requests to a path, with their headers. */
    askedFor: (path: string) => asked.filter(({ url }) => url?.replace(/\?.*$/, "") === path),
    count: () => asked.length,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
