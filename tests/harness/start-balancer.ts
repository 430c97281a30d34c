import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export type Balancer = {
  url: string;
  /** Sets the targets of calls from now on, which take turns. */
  serve(urls: readonly string[]): void;
  /** Sends every new call to only one target; `null` returns to taking turns. */
  steer(url: string | null): void;
  close(): Promise<void>;
};

/**
 * Starts an HTTP and websocket balancer: each call is a new connection to the next server that accepts one.
 * The balancer repeats nothing: if a call's server dies, its client's connection ends.
 */
export async function startBalancer(): Promise<Balancer> {
  let urls: readonly string[] = [];
  let only: string | null = null;
  let turn = 0;
  const open = new Set<Socket | Duplex>();
  const keep = <S extends Socket | Duplex>(socket: S): S => {
    open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => open.delete(socket));
    return socket;
  };

  const connectToNext = async (): Promise<Socket | null> => {
    const first = turn++;
    const candidates = only === null ? urls.map((_, index) => urls[(first + index) % urls.length]) : [only];
    for (const candidate of candidates) {
      const { port, hostname } = new URL(candidate ?? "");
      const socket = keep(connect(Number(port), hostname));
      const isConnected = await once(socket, "connect").then(
        () => true,
        () => false,
      );
      if (isConnected) return socket;
    }
    return null;
  };

  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const socket = await connectToNext();
    if (!socket) return incoming.socket.destroy();
    const { method, url: path } = incoming;
    const headers = { ...incoming.headers, connection: "close" };
    const sent = request({ createConnection: () => socket, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.on("error", () => outgoing.destroy());
      answer.pipe(outgoing);
    });
    sent.on("error", () => incoming.socket.destroy());
    outgoing.once("close", () => socket.destroy());
    incoming.pipe(sent);
  };

  const upgrade = async (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    keep(client);
    const socket = await connectToNext();
    if (!socket) return client.destroy();
    const lines = incoming.rawHeaders.flatMap((name, index, all) =>
      index % 2 === 0 ? [`${name}: ${all[index + 1]}`] : [],
    );
    socket.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    socket.write(head);
    socket.once("close", () => client.destroy());
    client.once("close", () => socket.destroy());
    socket.pipe(client).pipe(socket);
  };

  const server = createServer((incoming, outgoing) => void forward(incoming, outgoing));
  server.on("upgrade", (incoming, client, head) => void upgrade(incoming, client, head));
  server.on("connection", keep);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve(given) {
      urls = given;
    },
    steer(url) {
      only = url;
    },
    async close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
