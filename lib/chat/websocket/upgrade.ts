import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Config } from "../../config.ts";
import { CodedError } from "../../errors.ts";
import { readClientAddress } from "../../http/client-address.ts";
import { serveTraced } from "../../http/dispatch.ts";
import { gatewayErrorResponse, refuseUpgrade, requestFacts } from "../../http/error-response.ts";
import { requestIdOf } from "../../http/headers.ts";
import type { HttpScope } from "../../http/http-scope.ts";
import type { Upgrade } from "../../http/http-server.ts";
import { toWebRequest } from "../../http/node-request.ts";
import { CLIENT_GONE } from "../../http/record-request.ts";
import { log } from "../../log.ts";
import { metrics } from "../../metrics.ts";
import type { ServedRequest } from "../../tracing.ts";
import {
  type CloseSocket,
  type Logouts,
  MAX_SOCKETS_OF_A_USER,
  type OpenSockets,
  type SocketOwner,
} from "../access/logouts.ts";
import { createCallerContext } from "../caller/caller-context.ts";
import { type Chat, traceMattermostCall } from "../caller/chat.ts";
import { forgetChoices, signInOf } from "../caller/pat-owners.ts";
import { endIfStaff } from "../caller/sign-ins.ts";
import { authorize, checkUpgrade, explainCut, readUserId, type UpgradeGrant } from "./authorize.ts";
import {
  CLOSE_TIMEOUT_MS,
  connectUpstream,
  forwardClose,
  labelOfClose,
  type Upstream,
  UpstreamCut,
} from "./connect-upstream.ts";
import { createHandshakeLimits, type Handshake, watchPendingUpgrade } from "./handshake-limits.ts";
import { createHeartbeat, type Heartbeat } from "./heartbeat.ts";
import { createLogoutWatch } from "./logout-watch.ts";
import { relay } from "./relay.ts";

const MAX_CLIENT_FRAME_BYTES = 16 * 1024;
const HANDSHAKE_TIMEOUT_MS = 10_000;
const PATH = "/api/chat/websocket";
const POLICY_VIOLATION = 1008;

/** Only tests set this, because they cannot wait a minute for a dead peer. */
export type WebsocketTiming = { handshakeTimeoutMs: number; heartbeat: Heartbeat };

/** The parts that websockets share with the rest of their gateway. */
type Parts = {
  config: Config;
  http: HttpScope;
  /** @throws CodedError `degraded` */
  requireStore(): Promise<void> | undefined;
  sockets: OpenSockets;
  logouts: Logouts;
  /** Never rejects. */
  explain(error: unknown): Promise<unknown>;
  readonly chat: Chat;
};

/**
 * Creates the upgrade handler of `/api/chat/websocket`, which connects to Mattermost before it accepts the
 * client, so that refusals are HTTP answers.
 */
export function createChatUpgrade(parts: Parts, timing?: WebsocketTiming): Upgrade {
  const { config, http } = parts;
  const { handshakeTimeoutMs, heartbeat } = timing ?? {
    handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
    heartbeat: createHeartbeat(),
  };
  const settings: ConstructorParameters<typeof WebSocketServer>[0] & { closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_CLIENT_FRAME_BYTES,
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
  const acceptor = new WebSocketServer(settings);
  acceptor.on("headers", (lines, { headers }) => lines.push(`x-request-id: ${headers["x-request-id"]}`));
  const address = `${config.chat.baseUrl.replace(/^http/, "ws")}/websocket`;
  const logouts = createLogoutWatch(parts.logouts, parts.sockets, http.tokens);
  const handshakes = createHandshakeLimits(http);

  async function dial({ pat, query }: UpgradeGrant, request: Request, requestId: string) {
    const followed = traceMattermostCall({ method: "GET", route: "/websocket" });
    try {
      const upstream = await connectUpstream({
        headers: followed?.headers ?? {},
        address: query.size > 0 ? `${address}?${query}` : address,
        pat,
        requestId,
        isResume: Boolean(query.get("connection_id")),
        timeoutMs: handshakeTimeoutMs,
        signal: request.signal,
      });
      followed?.end("ok");
      return {
        ...upstream,
        userId: await readUserId(upstream, await createCallerContext(parts.chat, pat, request.signal)),
      };
    } catch (error) {
      followed?.end(error instanceof CodedError ? error.code : "cut");
      throw error instanceof UpstreamCut
        ? await explainCut(parts.chat.mattermost.as(pat, request.signal))
        : error;
    }
  }

  function accept(
    incoming: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    upstream: Upstream & { userId: string },
    pat: string,
    requestId: string,
  ): WebSocket | null {
    let accepted: WebSocket | null = null;
    // Mattermost supports no subprotocols, so none is chosen.
    delete incoming.headers["sec-websocket-protocol"];
    incoming.headers["x-request-id"] = requestId;
    // The callback runs before `handleUpgrade` returns, or never if the client has disconnected.
    acceptor.handleUpgrade(incoming, socket, head, (client) => {
      accepted = client;
      heartbeat.watch(client);
      heartbeat.watch(upstream.socket);
      relay(client, socket, upstream, {
        onSettings: () => parts.chat.forgetSettings(),
        onChoices: () => forgetChoices(parts.chat, pat),
        onRoles: () => void endIfStaff(parts.chat, upstream.userId),
        onChannel: (channelId) => parts.chat.caches.channels.delete(channelId),
      });
    });
    return accepted;
  }

  async function open(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<ServedRequest> {
    const startedAtMs = performance.now();
    const waiting = watchPendingUpgrade(socket, head);
    let requestId: string | undefined;
    let upstream: Awaited<ReturnType<typeof dial>> | undefined;
    let handshake: Handshake | undefined;
    let unwatch: (() => void) | undefined;
    try {
      const request = toWebRequest(incoming, waiting.signal, config.trustProxy);
      requestId = requestIdOf(request);
      handshake = handshakes.begin(readClientAddress(request));
      const grant = authorize(request, config);
      checkUpgrade(incoming);
      await parts.requireStore();
      unwatch = await logouts.begin();
      const dialedAtMs = performance.now();
      upstream = await dial(grant, request, requestId);
      let client: WebSocket | null = null;
      const forget = takePlace(
        parts,
        { userId: upstream.userId, signIn: signInOf(grant.pat) },
        dialedAtMs,
        (code, reason) => {
          if (client) forwardClose(client, code, reason);
        },
      );
      client = waiting.signal.aborted
        ? null
        : accept(incoming, socket, waiting.release(), upstream, grant.pat, requestId);
      if (client === null) {
        forget();
        throw new CodedError("invalid_upgrade");
      }
      client.on("close", unwatch);
      client.on("close", cutOnRefusal(http, grant.pat, client));
      recordOpen(client, requestId, startedAtMs, forget);
      return { method: "GET", route: PATH, status: 101, requestId };
    } catch (reason) {
      upstream?.socket.terminate();
      const error = await parts.explain(reason);
      unwatch?.();
      handshake?.refused(error);
      refuse(socket, error, waiting.signal.aborted, () =>
        gatewayErrorResponse(error, requestFacts(incoming, http), { route: PATH, requestId, startedAtMs }),
      );
      const status = error instanceof CodedError ? error.status : 500;
      return { method: "GET", route: PATH, status: waiting.signal.aborted ? CLIENT_GONE : status, requestId };
    } finally {
      handshake?.end();
      waiting.release();
    }
  }

  return (incoming, socket, head) => void serveTraced(http, incoming, () => open(incoming, socket, head));
}

/**
 * Cuts a client whose PAT was revoked, because Mattermost leaves its socket open. Returns the function that ends the
 * watch.
 */
function cutOnRefusal({ tokens }: HttpScope, pat: string, client: WebSocket): () => void {
  return tokens.onRefusal(pat, () => forwardClose(client, POLICY_VIOLATION, "token refused"));
}

/** @throws CodedError `overloaded` during a shutdown, `unauthorized` after a logout, `rate_limited` */
function takePlace(
  { http, sockets }: Parts,
  owner: SocketOwner,
  dialedAtMs: number,
  close: CloseSocket,
): () => void {
  if (http.isDraining) throw new CodedError("overloaded");
  const forget = sockets.register(owner, dialedAtMs, close);
  if (forget === "logged-out") throw new CodedError("unauthorized");
  if (forget === "full")
    throw new CodedError("rate_limited", {
      message: "Too many websockets are open.",
      headers: {
        "ratelimit-policy": `"websockets";q=${MAX_SOCKETS_OF_A_USER}`,
        ratelimit: '"websockets";r=0',
      },
      retryAfterSeconds: 10,
    });
  return forget;
}

function refuse(socket: Duplex, error: unknown, isGone: boolean, answer: () => Response): void {
  const code = error instanceof CodedError ? error.code : "internal";
  metrics().upgrades.inc({ outcome: isGone ? "gone" : code });
  if (isGone) return void socket.destroy();
  refuseUpgrade(socket, answer()).catch(() => socket.destroy());
}

function recordOpen(client: WebSocket, requestId: string, startedAtMs: number, forget: () => void): void {
  const { socketsOpen, socketCloses, upgrades } = metrics();
  const openedAtMs = performance.now();
  upgrades.inc({ outcome: "open" });
  socketsOpen.inc();
  log().info({ requestId, ms: Math.round(openedAtMs - startedAtMs) }, "websocket open");
  client.on("close", (code) => {
    forget();
    socketsOpen.dec();
    socketCloses.inc({ code: labelOfClose(code) });
    const seconds = Math.round((performance.now() - openedAtMs) / 1000);
    log().info({ requestId, code, seconds }, "websocket closed");
  });
}
