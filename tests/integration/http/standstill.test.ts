import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { expect, test } from "vitest";
import { createDispatcher } from "../../../lib/http/dispatch.ts";
import { createHttpServer } from "../../../lib/http/http-server.ts";
import { log } from "../../../lib/log.ts";
import { httpScope, tableOf } from "../../harness/http-scope.ts";

const endless = {
  "/api/endless": {
    GET: () =>
      new Response(
        new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1_000_000)) }),
      ),
  },
};

test("a client that stops reading loses its connection after 2 minutes without a byte", async () => {
  log("silent");
  const http = httpScope();
  const server = createHttpServer({
    http,
    dispatcher: createDispatcher(tableOf(http, endless), { http }),
    next: null,
    upgradeOf: () => null,
  });
  expect(server.timeout).toBe(120_000);
  server.setTimeout(200);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const gone = once(server, "connection").then(([socket]) => once(socket, "close"));
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.pause();
  client.write("GET /api/endless HTTP/1.1\r\nHost: x\r\n\r\n");
  await gone;
  client.destroy();
  server.close();
});
