import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

export type Script = {
  /** Called with the request of each upgrade. Returning true prevents its acceptance. */
  onUpgrade?: (incoming: IncomingMessage) => boolean;
  /** Replaces the Mattermost handshake of a connection. */
  onConnection?: (socket: WebSocket, incoming: IncomingMessage) => void;
};

export type ScriptedMattermost = {
  url: string;
  /** The requests of all upgrades so far. */
  upgrades: IncomingMessage[];
  /** All other requests so far. */
  requests: IncomingMessage[];
  sockets: Set<WebSocket>;
  script: Script;
  close(): Promise<void>;
};

export const alicePat = "alicepat00000000000000000a";
export const aliceId = "aliceid000000000000000000a";

/**
 * Plays Mattermost's handshake: the upgrade header or a valid challenge gets `hello`, and an invalid
 * challenge cuts the connection, as on a real server.
 */
export function playMattermost(socket: WebSocket, incoming: IncomingMessage): void {
  let isKnown = incoming.headers.authorization === `Bearer ${alicePat}`;
  const hello = () =>
    socket.send(
      JSON.stringify({
        event: "hello",
        data: { connection_id: "c".repeat(26) },
        broadcast: { user_id: aliceId },
        seq: 0,
      }),
    );
  if (isKnown && !incoming.url?.includes("connection_id=c")) hello();
  socket.on("message", (data: Buffer, isBinary) => {
    if (isBinary) return socket.send(data, { binary: true });
    const { seq, action, data: sent } = JSON.parse(data.toString());
    if (action === "authentication_challenge") {
      if (isKnown) return;
      if (sent.token !== alicePat) return socket.terminate();
      isKnown = true;
      hello();
      return socket.send(JSON.stringify({ status: "OK", seq_reply: seq }));
    }
    if (isKnown) socket.send(JSON.stringify({ status: "OK", seq_reply: seq, data: { text: "pong" } }));
  });
}

/**
 * Starts a Mattermost whose websocket end is played by the test, with just enough REST to identify a token's
 * user.
 */
export async function startScriptedMattermost(): Promise<ScriptedMattermost> {
  const acceptor = new WebSocketServer({ noServer: true });
  const mattermost: ScriptedMattermost = {
    url: "",
    upgrades: [],
    requests: [],
    sockets: new Set(),
    script: {},
    async close() {
      for (const socket of mattermost.sockets) socket.terminate();
      server.close();
      server.closeAllConnections();
    },
  };
  const server = createServer((incoming, outgoing) => {
    mattermost.requests.push(incoming);
    const isAlice = incoming.headers.authorization === `Bearer ${alicePat}`;
    outgoing.writeHead(isAlice ? 200 : 401, { "content-type": "application/json" });
    outgoing.end(
      JSON.stringify(
        isAlice
          ? { id: aliceId, username: "alice", first_name: "", last_name: "", nickname: "", delete_at: 0 }
          : { id: "api.context.session_expired.app_error", message: "no", status_code: 401 },
      ),
    );
  });
  server.on("upgrade", (incoming, socket, head) => {
    socket.on("error", () => socket.destroy());
    mattermost.upgrades.push(incoming);
    if (mattermost.script.onUpgrade?.(incoming)) return;
    acceptor.handleUpgrade(incoming, socket, head, (accepted) => {
      mattermost.sockets.add(accepted);
      accepted.on("error", () => undefined);
      accepted.on("close", () => mattermost.sockets.delete(accepted));
      (mattermost.script.onConnection ?? playMattermost)(accepted, incoming);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  mattermost.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v4`;
  return mattermost;
}
