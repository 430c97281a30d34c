import { once } from "node:events";
import {
  Agent,
  createServer,
  request as forward,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";

export type ProxiedCall = { method: string; path: string; headers: IncomingHttpHeaders };

/**
 * The fate of a call: it passes, is cut before, after or within its answer, hangs, waits for a time or an
 * event, or gets this answer.
 */
export type Treatment =
  | "pass"
  | "cut"
  | "lose-answer"
  | "break-off"
  | "hang"
  | { delayMs: number }
  | { until: Promise<unknown> }
  | { status: number; text: string };

export type RecordingProxy = {
  url: string;
  /** Returns the calls since `forget`, such as `GET /users/me`. Their paths omit `/api/v4` and the query. */
  calls(): string[];
  forget(): void;
  /** Returns the number of pending calls. */
  underWay(): number;
  /** Returns the highest number of concurrent calls since `forget`. */
  mostAtOnce(): number;
  /** Decides the fate of each call from now on. */
  treat(decide: (call: ProxiedCall) => Treatment): void;
  close(): Promise<void>;
};

/**
 * Removes headers that belong to a single connection and must not be passed on: they would make promises
 * about another connection.
 */
function endToEnd({ connection: _, "keep-alive": __, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers;
}

/** Returns the raw request line and headers of an upgrade, except for the host. */
function upgradeHead({ method, url, rawHeaders }: IncomingMessage, host: string): string {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    lines.push(`${name}: ${name.toLowerCase() === "host" ? host : value}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/**
 * Starts an HTTP proxy in front of a Mattermost (`…/api/v4`) that records its calls and applies faults to
 * them. Websockets just pass.
 */
export async function startRecordingProxy(mattermostUrl: string): Promise<RecordingProxy> {
  const target = new URL(mattermostUrl);
  // Each call gets a new connection, because Mattermost may close a persistent one just when a call uses it.
  const agent = new Agent({ keepAlive: false });
  let calls: string[] = [];
  let underWay = 0;
  let most = 0;
  let decide: (call: ProxiedCall) => Treatment = () => "pass";

  const pass = (incoming: IncomingMessage, outgoing: ServerResponse, isAnswered: boolean) => {
    const { method, url: path, headers } = incoming;
    const sent = forward(
      {
        agent,
        host: target.hostname,
        port: target.port,
        method,
        path,
        headers: { ...endToEnd(headers), host: target.host },
      },
      (answer) => {
        if (!isAnswered) {
          answer.resume();
          incoming.socket.destroy();
          return;
        }
        outgoing.writeHead(answer.statusCode ?? 500, endToEnd(answer.headers));
        answer.pipe(outgoing);
      },
    );
    sent.on("error", () => incoming.socket.destroy());
    incoming.pipe(sent);
  };

  const server = createServer((incoming, outgoing) => {
    const path = (incoming.url ?? "").replace(/^\/api\/v4/, "").replace(/\?.*$/, "");
    const call = { method: incoming.method ?? "", path, headers: incoming.headers };
    calls.push(`${call.method} ${path}`);
    underWay += 1;
    most = Math.max(most, underWay);
    outgoing.once("close", () => {
      underWay -= 1;
    });
    const treatment = decide(call);
    if (treatment === "pass" || treatment === "lose-answer")
      return pass(incoming, outgoing, treatment === "pass");
    if (treatment === "cut") return incoming.socket.destroy();
    if (treatment === "hang") return;
    if (treatment === "break-off") {
      outgoing.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      return outgoing.write('{"id":', () => incoming.socket.destroy());
    }
    if ("delayMs" in treatment) return setTimeout(() => pass(incoming, outgoing, true), treatment.delayMs);
    if ("until" in treatment) return void treatment.until.finally(() => pass(incoming, outgoing, true));
    incoming.resume();
    outgoing.writeHead(treatment.status, { "content-type": "application/json" }).end(treatment.text);
  });
  const upgraded = new Set<Duplex>();
  server.on("upgrade", (incoming: IncomingMessage, client: Socket, head: Buffer) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      upgraded.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        upgraded.delete(socket);
        other.destroy();
      });
    }
    upstream.write(upgradeHead(incoming, target.host));
    upstream.write(head);
    upstream.pipe(client).pipe(upstream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v4`,
    calls: () => [...calls],
    forget() {
      calls = [];
      most = underWay;
    },
    underWay: () => underWay,
    mostAtOnce: () => most,
    treat(next) {
      decide = next;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      agent.destroy();
    },
  };
}
