import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { holdTime } from "../../../harness/hold-time.ts";
import { echo, openShop } from "../../../harness/open-shop.ts";

const { shop, sell } = await openShop();

test.each([
  ["within ten seconds counts", 9999, { status: 402, code: "insufficient_funds" }],
  ["after ten seconds is ignored", 10_000, { status: 503, code: "facilitator_unavailable" }],
])("by default a facilitator's answer %s", async (_, afterMs, expected) => {
  const waiting: ServerResponse[] = [];
  const facilitator = createServer(({ method }, response) => {
    // The paywall's request for the supported kinds is answered immediately.
    if (method === "GET") response.writeHead(404).end();
    else waiting.push(response);
  }).listen(0, "127.0.0.1");
  await once(facilitator, "listening");
  const { port } = facilitator.address() as AddressInfo;
  const url = await sell(echo, { facilitatorUrl: `http://127.0.0.1:${port}` });
  const payment = await shop.payFor(url);
  const time = holdTime();
  try {
    const asked = fetch(url, { headers: { "x-payment": payment } });
    await expect.poll(() => waiting.length).toBe(1);
    time.pass(afterMs);
    waiting[0]
      ?.writeHead(200, { "content-type": "application/json" })
      .end('{"isValid":false,"invalidReason":"insufficient_funds"}');
    const response = await asked;
    expect({ status: response.status, code: (await response.json()).code }).toEqual(expected);
  } finally {
    time.release();
    facilitator.closeAllConnections();
    facilitator.close();
  }
});
