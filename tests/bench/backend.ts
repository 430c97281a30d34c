import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

/** A backend that costs next to nothing: it gives constant answers, and sends frames on command. */
const user = JSON.stringify({
  id: "u".repeat(26),
  username: "alice",
  first_name: "",
  last_name: "",
  nickname: "",
  last_picture_update: 0,
  delete_at: 0,
  roles: "system_user",
  props: { padding: "x".repeat(3700) },
});
const hello = JSON.stringify({ event: "hello", data: {}, broadcast: { user_id: "" }, seq: 0 });
/** A frame as bytes: each socket sends the same ones, however many wait for a slow reader. */
const frameOf = (characters: number) =>
  Buffer.from(
    JSON.stringify({ event: "posted", data: { post: "x".repeat(characters) }, broadcast: {}, seq: 1 }),
  );

const sockets = new Set<WebSocket>();

function textFor(target: string): string {
  if (target === "/open") return String(sockets.size);
  return target.startsWith("/api/v4/users/me") ? user : '{"status":"OK"}';
}

const server = createServer((incoming, outgoing) => {
  const [, count, characters] = /^\/burst\?count=(\d+)&characters=(\d+)$/.exec(incoming.url ?? "") ?? [];
  const frame = frameOf(Number(characters ?? 0));
  for (const socket of sockets)
    for (let sent = 0; sent < Number(count ?? 0); sent++) socket.send(frame, { binary: false });
  const text = textFor(incoming.url ?? "");
  outgoing.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  outgoing.end(text);
});
server.keepAliveTimeout = 300_000;

let users = 0;
const acceptor = new WebSocketServer({ server, perMessageDeflate: false });
acceptor.on("connection", (socket) => {
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
  // Every connection belongs to a different user, because the limit per user would end the measurement.
  const userId = String(users++).padStart(26, "u");
  socket.send(hello.replace('"user_id":""', `"user_id":"${userId}"`));
});

server.listen(0, "127.0.0.1", () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
