import { afterAll, afterEach } from "vitest";
import { withPaywall } from "../../lib/x402/next.ts";
import type { PaywallOptions } from "../../lib/x402/paywall/index.ts";
import { serveWeb, type WebServer } from "./serve-web.ts";
import { startShop } from "./start-shop.ts";

export type Handler = (
  request: Request,
  context: { payer: string; txId: string },
) => Response | Promise<Response>;

/** Tells whose payment was taken. */
export const echo: Handler = (_request, { payer, txId }) => Response.json({ payer, txId });

/** A shop for a whole file; `serve` serves a function until the test ends, `sell` a handler behind a paywall: both give the address. */
export async function openShop() {
  const shop = await startShop();
  const open: WebServer[] = [];
  afterAll(() => shop.close());
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
    shop.door.treat(() => "pass");
  });
  const serve = async (answer: (request: Request) => Response | Promise<Response>): Promise<string> => {
    const server = await serveWeb(answer);
    open.push(server);
    return server.url;
  };
  const sell = (handler: Handler, options: Partial<PaywallOptions<Request>> = {}) =>
    serve(withPaywall({ ...shop.price, onFault: () => {}, ...options }, handler));
  return { shop, serve, sell };
}
