import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { afterEach } from "vitest";
import { signPayment } from "../../lib/x402/client/index.ts";
import { decodePayment } from "../../lib/x402/codec.ts";
import { openShop } from "./open-shop.ts";

/** The answer of a tool that requires a payment, in version 2. */
export type ToolOffer = {
  x402Version: number;
  error: string;
  code: string;
  resource: { url: string };
  accepts: Array<{
    scheme: string;
    network: string;
    amount: string;
    payTo: string;
    extra: { nonce: string; paymentFlow: string };
  }>;
};

type Result = Awaited<ReturnType<Client["callTool"]>>;

export const offerIn = (result: Result) => result.structuredContent as ToolOffer;

/** Returns the first text of a result. */
export const textOf = ({ content }: Result) => {
  const [first] = content;
  return first?.type === "text" ? first.text : undefined;
};

/**
 * Opens a shop that sells tools. Until the test ends, `serveTools` serves the tools that `register` adds over
 * streamable HTTP, and `connect` returns a client of an address. `sign` pays an offer, in version 2.
 */
export async function openToolShop(chain: Parameters<typeof openShop>[0] = {}) {
  const opened = await openShop(chain);
  const { shop, serve } = opened;
  const clients: Client[] = [];
  afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

  const serveTools = (register: (server: McpServer) => void) => {
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: "shop", version: "1.0.0" });
      register(server);
      return server;
    });
    return serve((request) => handler.fetch(request));
  };

  const connect = async (url: string) => {
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    clients.push(client);
    return client;
  };

  const sign = async (offer: ToolOffer, account = "alice") => {
    const [accepted] = offer.accepts;
    if (!accepted) throw new Error("no offer");
    const { network, payTo, extra } = accepted;
    const header = await signPayment({
      ...shop.purse(account),
      requirements: {
        ...{ x402Version: 1, scheme: "exact", network, payTo, extra, resource: offer.resource.url },
        maxAmountRequired: `${(Number(accepted.amount) / 1000).toFixed(3)} HBD`,
        validBefore: new Date(Date.now() + 300_000).toISOString(),
      },
    });
    const { payload } = decodePayment(header);
    return { x402Version: 2, resource: offer.resource, accepted, payload };
  };

  return { ...opened, serveTools, connect, sign };
}
