import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";

/** The minimal proxy on node:http and undici, which passes each request on and streams the answer back. */
const pool = new Pool(process.argv[2] ?? "", { connections: 64 });
const server = createServer((incoming, outgoing) => {
  pool
    .request({ method: "GET", path: incoming.url ?? "/", headers: incoming.headers })
    .then(({ statusCode, headers, body }) => {
      outgoing.writeHead(statusCode, headers);
      body.pipe(outgoing);
    })
    .catch(() => outgoing.destroy());
});

server.listen(0, "127.0.0.1", () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
