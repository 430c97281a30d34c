import type { RequestListener } from "node:http";
import { afterAll, afterEach, expect } from "vitest";
import type { PaymentError } from "../../lib/x402/client/index.ts";
import type { PaywallOptions } from "../../lib/x402/express.ts";
import { withPaywall } from "../../lib/x402/next.ts";
import { serveNode, serveWeb, type WebServer } from "./serve-web.ts";
import { startShop } from "./start-shop.ts";

export type Handler = (
  request: Request,
  context: { payer: string; txId: string },
) => Response | Promise<Response>;

/** Names the payer whose payment was accepted. */
export const echo: Handler = (_request, { payer, txId }) => Response.json({ payer, txId });

/**
 * Opens a shop for a whole file. Its functions return an address that is served until the test ends: `serve`
 * serves a function, `sell` a handler behind a paywall, `listen` a node listener, and `keep` any server that
 * is started. `refusalOf` resolves with the code of the error instead of a payment, and proves that nothing was paid.
 */
export async function openShop(chain: Parameters<typeof startShop>[0] = {}) {
  const shop = await startShop(chain);
  const servers: WebServer[] = [];
  afterAll(() => shop.close());
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
    shop.door.treat(() => "pass");
  });
  const keep = async (starting: Promise<WebServer>): Promise<string> => {
    const server = await starting;
    servers.push(server);
    return server.url;
  };
  const serve = (answer: (request: Request) => Response | Promise<Response>) => keep(serveWeb(answer));
  const listen = (listener: RequestListener) => keep(serveNode(listener));
  const sell = (handler: Handler, options: Partial<PaywallOptions<Request>> = {}) =>
    serve(withPaywall({ ...shop.price, onFault: () => {}, ...options }, handler));
  const refusalOf = async (paying: Promise<Response>): Promise<string> => {
    const before = await shop.balances();
    const error = await paying.then(
      ({ status }) => Promise.reject(new Error(`paid: ${status}`)),
      (cause: PaymentError) => cause,
    );
    expect(await shop.balances()).toEqual(before);
    return error.code;
  };
  return { shop, keep, serve, listen, sell, refusalOf };
}
