import { type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import { hostname } from "node:os";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { AttachedHub, MattermostForHub } from "../event-bus.ts";
import { isId, makeId } from "../id.ts";
import { readCookie } from "../router.ts";
import { type Action, answerAction, type Connection, parseAction } from "./connection.ts";
import { createHub, type Hub, type Session } from "./hub.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { okFrame } from "./replies.ts";

const foreignOrigin: UpgradeRefusal = {
  status: 403,
  id: "api.web_socket.connect.upgrade.app_error",
  message: "Failed to upgrade websocket connection.",
  bodyStatus: 500,
  preamble: "Forbidden\n",
};
const tokenInQuery: UpgradeRefusal = {
  status: 401,
  id: "api.context.token_provided.app_error",
  message: "Session is not OAuth but token was provided in the query string.",
};

function noRoute(path: string): UpgradeRefusal {
  return {
    status: 404,
    id: "api.context.404.app_error",
    message: "Sorry, we could not find the page.",
    detail: `There doesn't appear to be an api call for the url='${path}'.  Typo? are you missing a team_id or user_id as part of the url?`,
  };
}

/**
 * Serves `/api/v4/websocket` on the server: upgrades, and delivery of Mattermost's events. The limits
 * default to those of a real server. Times are in milliseconds.
 */
export function attachWebsocket(
  server: Server,
  mattermost: MattermostForHub,
  options: { limits?: Partial<Limits>; now?: () => number } = {},
): AttachedHub {
  const limits = { ...defaultLimits, ...options.limits };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.maxFrameBytes,
    perMessageDeflate: false,
  });
  const hub = createHub(mattermost, limits, hostname(), options.now ?? Date.now);
  const unsubscribe = mattermost.events.subscribe(hub.deliver);

  /** Returns the connection of an authenticated upgrade, or null if its resume parameters are invalid. */
  function connect(socket: WebSocket, session: Session, asked: UpgradeRequest): Connection | null {
    if (!asked.connectionId) return hub.open(socket, session);
    if (!isId(asked.connectionId)) return null;
    const isNumber = /^\d{1,15}$/.test(asked.sequenceNumber);
    const dormant = hub.findDormant(asked.connectionId, session);
    if (!isNumber) {
      // An old server checks the number only after the id, and has released the connection by then.
      if (mattermost.flavour === "v7" && !dormant) return hub.open(socket, session);
      if (mattermost.flavour === "v7" && dormant) hub.forget(dormant);
      return null;
    }
    if (!dormant) return hub.open(socket, session);
    hub.resume(socket, session, dormant, Number(asked.sequenceNumber));
    return dormant;
  }

  function refusalOf(request: IncomingMessage, asked: UpgradeRequest): UpgradeRefusal | null {
    if (asked.queryToken && mattermost.authenticate(asked.queryToken)) return tokenInQuery;
    return isSameOrigin(request) ? null : foreignOrigin;
  }

  function accept(socket: WebSocket, asked: UpgradeRequest): void {
    const session = asked.token ? mattermost.authenticate(asked.token) : null;
    const connection = session ? connect(socket, session, asked) : null;
    if (session && !connection) socket.terminate();
    else serveSocket({ socket, mattermost, hub, limits, connection, wantsPostedAck: asked.wantsPostedAck });
  }

  function upgrade(request: IncomingMessage, duplex: Duplex, head: Buffer): void {
    duplex.on("error", () => duplex.destroy());
    const asked = readUpgradeRequest(request);
    const refusal = asked ? refusalOf(request, asked) : noRoute(request.url ?? "/");
    if (refusal) refuseUpgrade(duplex, mattermost.serverVersion, refusal);
    else if (asked) sockets.handleUpgrade(request, duplex, head, (socket) => accept(socket, asked));
  }

  server.on("upgrade", upgrade);
  return {
    close() {
      unsubscribe();
      server.off("upgrade", upgrade);
      hub.close();
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    },
  };
}

/** Reads the frames of one open socket and enforces its time limits. `connection` is null until the challenge is answered. */
function serveSocket(options: {
  socket: WebSocket;
  mattermost: MattermostForHub;
  hub: Hub;
  limits: Limits;
  connection: Connection | null;
  wantsPostedAck: boolean;
}): void {
  const { socket, mattermost, hub, limits } = options;
  let { connection } = options;

  // A socket that ends without the closing handshake is always dropped without a close frame.
  const cut = () => socket.terminate();
  const authentication = setTimeout(() => {
    if (!connection) cut();
  }, limits.authenticateMs);
  const pings = setInterval(() => socket.ping(), limits.pingMs);
  let silence = setTimeout(cut, limits.readMs);

  function welcome(opened: Connection): void {
    opened.wantsPostedAck = options.wantsPostedAck;
    mattermost.socketOpened(opened.userId);
  }

  function meetChallenge({ seq, data }: Action): void {
    const session = typeof data.token === "string" ? mattermost.authenticate(data.token) : null;
    if (session) {
      connection = hub.open(socket, session);
      hub.send(connection, { kind: "reply", text: okFrame(seq) });
      welcome(connection);
    } else cut();
  }

  socket.on("message", (frame: Buffer, isBinary) => {
    const action = parseAction(frame, isBinary);
    if (!action) cut();
    else if (connection) {
      const text = answerAction(action, connection, mattermost);
      if (text !== null) hub.send(connection, { kind: "reply", text });
    } else if (action.seq > 0 && action.action === "authentication_challenge") meetChallenge(action);
  });
  socket.on("pong", () => {
    clearTimeout(silence);
    silence = setTimeout(cut, limits.readMs);
    if (connection) mattermost.setActive(connection.userId, false, false);
  });
  // The close event that follows reports the error.
  socket.on("error", () => undefined);
  socket.on("close", () => {
    clearTimeout(authentication);
    clearTimeout(silence);
    clearInterval(pings);
    if (connection) hub.closed(connection);
  });

  if (connection) welcome(connection);
}

const PATH = /^\/api\/v4\/websocket\/?$/;

type UpgradeRequest = {
  /** The token of the request, or "" if it has none and the client must answer a challenge. */
  token: string;
  /** A token in the address, which only OAuth sessions may use. */
  queryToken: string;
  connectionId: string;
  sequenceNumber: string;
  wantsPostedAck: boolean;
};

/** Reads the parameters of an upgrade request, or returns null for another path. */
function readUpgradeRequest(request: IncomingMessage): UpgradeRequest | null {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://mattermost.invalid");
  if (!PATH.test(pathname)) return null;
  const header = /^(?:bearer|token) (.+)$/i.exec(request.headers.authorization ?? "")?.[1]?.trim() ?? "";
  const token = readCookie(request.headers.cookie, "MMAUTHTOKEN") || header;
  return {
    token,
    queryToken: token ? "" : (searchParams.get("access_token") ?? ""),
    connectionId: searchParams.get("connection_id") ?? "",
    sequenceNumber: searchParams.get("sequence_number") ?? "",
    wantsPostedAck: searchParams.get("posted_ack") === "true",
  };
}

/** Returns true for requests without an Origin header, as from programs, and for pages of this host. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  if (!headers.origin) return true;
  try {
    return new URL(headers.origin).host.toLowerCase() === (headers.host ?? "").toLowerCase();
  } catch {
    // "null" and similar values are not origins.
    return false;
  }
}

type UpgradeRefusal = {
  /** Status of the answer. The body may contain another status. */
  status: 401 | 403 | 404;
  id: string;
  message: string;
  detail?: string;
  bodyStatus?: number;
  /** A text before the JSON body. */
  preamble?: string;
};

/** Answers an upgrade request like an ordinary one, in Mattermost's error shape, and ends the connection. */
function refuseUpgrade(socket: Duplex, serverVersion: string, refusal: UpgradeRefusal): void {
  const { status, id, message, detail = "", bodyStatus = status, preamble = "" } = refusal;
  const requestId = makeId();
  const error = { id, message, detailed_error: detail, request_id: requestId, status_code: bodyStatus };
  const body = preamble + JSON.stringify(error);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${preamble ? "text/plain; charset=utf-8" : "application/json"}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    `X-Version-Id: ${serverVersion}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
