import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

const offers = new Set(["upgrade", "http2-settings", "connection"]);
const asksToClose = /(^|,)\s*close\s*(,|$)/i;

/**
 * Some clients offer HTTP/2 with every request (`Upgrade: h2c`), which Node takes out of the ordinary path. It is
 * given back to the server without the offer.
 */
export function serveWithoutUpgrade(
  server: Server,
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const lines = [`${incoming.method} ${incoming.url} HTTP/${incoming.httpVersion}`];
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    const name = incoming.rawHeaders[index] ?? "";
    if (!offers.has(name.toLowerCase())) lines.push(`${name}: ${incoming.rawHeaders[index + 1]}`);
  }
  if (asksToClose.test(incoming.headers.connection ?? "")) lines.push("Connection: close");
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}
