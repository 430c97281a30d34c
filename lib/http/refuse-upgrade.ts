import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** Answers an upgrade request with an ordinary response and ends the connection. */
export async function refuseUpgrade(socket: Duplex, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const lines = [`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? "Error"}`];
  for (const [name, value] of response.headers) lines.push(`${name}: ${value}`);
  lines.push(`content-length: ${body.byteLength}`, "connection: close", "", "");
  if (!socket.writable) return void socket.destroy();
  socket.end(Buffer.concat([Buffer.from(lines.join("\r\n"), "latin1"), body]), () => socket.destroy());
}
