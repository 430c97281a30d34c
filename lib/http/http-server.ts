import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { CodedError } from "../errors.ts";
import { compressAnswer } from "./compress-answer.ts";
import { type Dispatcher, serveTraced } from "./dispatch.ts";
import { gatewayErrorResponse, refuseUpgrade, requestFacts } from "./error-response.ts";
import type { HttpScope } from "./http-scope.ts";
import { introduceToNext } from "./introduce-to-next.ts";
import { guardNext } from "./next-guard.ts";
import { sendResponse } from "./node-request.ts";
import { countRequest, labelOfMethod } from "./record-request.ts";
import { normalizeTarget, pathOf } from "./route-table.ts";

export type Upgrade = (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Longer than the idle time of proxies in front; otherwise they would reuse connections that have just
 * closed.
 */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 60_000;
/**
 * The idle limit of a stalled connection, such as one whose client stopped reading; shorter than the
 * kernel's.
 */
const STANDSTILL_MS = 120_000;
const NOT_HTTP = "The request is not valid HTTP, too large in its head, or too slow.";
const BAD_TARGET = "The request needs a path and one valid Host header.";

/**
 * Creates the only HTTP server, which sends the dispatcher's paths to the dispatcher, upgrades to the handler
 * of their path, and the rest to Next. It handles all upgrades, because a second `upgrade` listener would
 * answer the first one's sockets.
 */
export function createHttpServer(options: {
  http: HttpScope;
  /** Null in development, where Next serves the current source of each route. */
  dispatcher: Dispatcher | null;
  /** Null if only the dispatcher answers. */
  next: ((incoming: IncomingMessage, outgoing: ServerResponse) => unknown) | null;
  upgradeOf: (path: string) => Upgrade | null;
}): Server {
  const { http, dispatcher, next, upgradeOf } = options;
  const refusal = (incoming: IncomingMessage | null, error: unknown, status?: number) => {
    const response = gatewayErrorResponse(error, requestFacts(incoming, http), { status });
    countRequest(incoming?.method, { route: "none", status: response.status, ms: 0 });
    return response;
  };
  const answerUnknown = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    serveTraced(http, incoming, async () => {
      const response = refusal(incoming, new CodedError("not_found"));
      void answer(response, incoming, outgoing);
      const requestId = response.headers.get("x-request-id") ?? undefined;
      return { method: labelOfMethod(incoming.method), route: "none", status: response.status, requestId };
    });
  const badTarget = new CodedError("invalid_request", { message: BAD_TARGET });
  const answerRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // A client that keeps sending requests would otherwise never leave its connection idle.
    if (http.isDraining) outgoing.shouldKeepAlive = false;
    if (!normalizeTarget(incoming)) {
      const response = refusal(incoming, badTarget);
      response.headers.set("connection", "close");
      return void answer(response, incoming, outgoing);
    }
    const dispatch = dispatcher?.find(incoming);
    if (dispatch) return void dispatch(outgoing);
    if (next === null) return void answerUnknown(incoming, outgoing);
    handOver(incoming, outgoing, next).catch((error: unknown) => {
      if (outgoing.destroyed || outgoing.headersSent) outgoing.destroy();
      else void answer(refusal(incoming, error), incoming, outgoing);
    });
  };
  const handOver = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    hand: NonNullable<typeof next>,
  ) => {
    guardNext(incoming);
    compressAnswer(incoming, outgoing);
    await introduceToNext(incoming, http, () => hand(incoming, outgoing));
  };
  const serve = serializePipelinedRequests(answerRequest);
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Checked in `normalizeTarget`, because Node's own answer would lack the common format.
      requireHostHeader: false,
    },
    serve,
  );
  server.setTimeout(STANDSTILL_MS);
  watchConnections(server);
  // An unknown expectation can be ignored (RFC 9110, 10.1.1).
  server.on("checkExpectation", serve);
  server.on("connect", (incoming: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    void refuseUpgrade(socket, refusal(incoming, new CodedError("method_not_allowed")));
  });
  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (incoming.headers.upgrade?.toLowerCase() !== "websocket")
      return ignoreUpgradeOffer(server, incoming, socket, head);
    socket.on("error", () => socket.destroy());
    if (!normalizeTarget(incoming)) return void refuseUpgrade(socket, refusal(incoming, badTarget));
    const upgrade = upgradeOf(pathOf(incoming.url));
    if (upgrade) upgrade(incoming, socket, head);
    else void refuseUpgrade(socket, refusal(incoming, new CodedError("not_found")));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const fault = new CodedError("invalid_request", { message: NOT_HTTP });
    const response = refusal(null, fault, statusOfClientError(error.code));
    refuseUpgrade(socket, response).catch(() => socket.destroy());
  });
  return server;
}

async function answer(
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  try {
    await sendResponse(response, incoming, outgoing);
  } catch {
    outgoing.destroy();
  }
}

function statusOfClientError(code: string | undefined): number {
  if (code === "HPE_HEADER_OVERFLOW") return 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}

const offers = new Set(["upgrade", "http2-settings", "connection"]);
const asksToClose = /(^|,)\s*close\s*(,|$)/i;

/**
 * Ignores the offer of HTTP/2 that some clients send with every request (`Upgrade: h2c`). Node diverts such
 * requests, so this function returns them to the server without the offer.
 */
function ignoreUpgradeOffer(server: Server, incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${incoming.method} ${incoming.url} HTTP/${incoming.httpVersion}`];
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    const name = incoming.rawHeaders[index] ?? "";
    if (!offers.has(name.toLowerCase())) lines.push(`${name}: ${incoming.rawHeaders[index + 1]}`);
  }
  if (asksToClose.test(incoming.headers.connection ?? "")) lines.push("Connection: close");
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void;
/** The requests of one connection: the one being served, and those behind it. */
type Line = { isBusy: boolean; waiting: Array<[incoming: IncomingMessage, outgoing: ServerResponse]> };

/** Maximum number of pipelined requests that wait on one connection. */
const MOST_WAITING = 100;

/**
 * Serves the requests of one connection one by one, since their answers are sent in order anyway. Otherwise a
 * single pipelining client could have thousands of requests served at once. Beyond the limit, the connection
 * ends.
 */
function serializePipelinedRequests(serve: Serve): Serve {
  const lines = new WeakMap<Socket, Line>();

  const begin = (line: Line, socket: Socket, incoming: IncomingMessage, outgoing: ServerResponse) => {
    line.isBusy = true;
    outgoing.on("close", () => {
      line.isBusy = false;
      const next = line.waiting.length === 0 || socket.destroyed ? undefined : line.waiting.shift();
      if (next) begin(line, socket, ...next);
    });
    serve(incoming, outgoing);
  };

  return (incoming, outgoing) => {
    const { socket } = incoming;
    let line = lines.get(socket);
    if (!line) {
      line = { isBusy: false, waiting: [] };
      lines.set(socket, line);
    }
    if (!line.isBusy) begin(line, socket, incoming, outgoing);
    else if (line.waiting.length < MOST_WAITING) line.waiting.push([incoming, outgoing]);
    else socket.destroy();
  };
}

const GRACE_MS = 10_000;
const SWEEP_EVERY_MS = 100;

const connections = new WeakMap<Server, Set<Socket>>();

/**
 * Records the connections of a server for `shutDown`, because Node counts a connection that has sent nothing
 * yet as busy.
 */
function watchConnections(server: Server): void {
  const open = new Set<Socket>();
  connections.set(server, open);
  server.on("connection", (socket: Socket) => {
    if (open.has(socket)) return;
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
}

/**
 * Stops accepting connections (`/api/health/ready` answers 503 from now on), lets open requests finish, and
 * cuts the rest after 10 seconds. `closeSockets` ends upgraded connections, which the server no longer
 * counts.
 */
export async function shutDown(
  server: Server,
  http: Pick<HttpScope, "isDraining">,
  closeSockets: () => Promise<void> = async () => {},
): Promise<void> {
  http.isDraining = true;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const closeUnused = () => {
    // A kept-alive connection becomes idle, and can be closed, only when its request has ended.
    server.closeIdleConnections();
    for (const socket of connections.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
  };
  closeUnused();
  const sweep = setInterval(closeUnused, SWEEP_EVERY_MS);
  let cut: NodeJS.Timeout | undefined;
  const overdue = new Promise<void>((resolve) => {
    cut = setTimeout(resolve, GRACE_MS);
  });
  await Promise.race([Promise.all([closed, closeSockets()]), overdue]);
  server.closeAllConnections();
  clearInterval(sweep);
  clearTimeout(cut);
}
