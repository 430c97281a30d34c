import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createProxyServer } from "httpxy";

/** The fastest widely used proxy library for Node, with connections that it reuses. */
const proxy = createProxyServer({
  target: process.argv[2] ?? "",
  agent: new Agent({ keepAlive: true, maxSockets: 64 }),
});
const server = createServer((incoming, outgoing) => {
  proxy.web(incoming, outgoing).catch(() => outgoing.destroy());
});
server.listen(0, "127.0.0.1", () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
