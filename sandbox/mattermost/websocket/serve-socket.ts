import type { WebSocket } from "ws";
import type { HubBackend } from "../hub-contract.ts";
import { type Action, answerAction, parseAction } from "./answer-action.ts";
import type { Connection } from "./connection.ts";
import { type Limits, okFrame } from "./frames.ts";
import type { Hub } from "./hub.ts";

/** Reads the frames of one open socket and keeps its time limits; `connection` is null until a challenge is met. */
export function serveSocket(options: {
  socket: WebSocket;
  backend: HubBackend;
  hub: Hub;
  limits: Limits;
  connection: Connection | null;
  wantsPostedAck: boolean;
}): void {
  const { socket, backend, hub, limits } = options;
  let { connection } = options;

  // Every way to end a socket that is not the protocol's own closing is the same cut: no close frame.
  const cut = () => socket.terminate();
  const authentication = setTimeout(() => {
    if (!connection) cut();
  }, limits.authenticateMs);
  const pings = setInterval(() => socket.ping(), limits.pingMs);
  let silence = setTimeout(cut, limits.readMs);

  function welcome(opened: Connection): void {
    opened.wantsPostedAck = options.wantsPostedAck;
    backend.socketOpened(opened.userId);
  }

  function meetChallenge({ seq, data }: Action): void {
    const session = typeof data.token === "string" ? backend.authenticate(data.token) : null;
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
      const text = answerAction(action, connection, backend);
      if (text !== null) hub.send(connection, { kind: "reply", text });
    } else if (action.seq > 0 && action.action === "authentication_challenge") meetChallenge(action);
  });
  socket.on("pong", () => {
    clearTimeout(silence);
    silence = setTimeout(cut, limits.readMs);
    if (connection) backend.setActive(connection.userId, false, false);
  });
  // What went wrong shows in the close that follows.
  socket.on("error", () => undefined);
  socket.on("close", () => {
    clearTimeout(authentication);
    clearTimeout(silence);
    clearInterval(pings);
    if (connection) hub.closed(connection);
  });

  if (connection) welcome(connection);
}
