import { serve } from "@hono/node-server";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  McpServer,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type PaidContext, paidTool } from "hivegate/mcp";
import { sandbox } from "hivegate/sandbox";
import { z } from "zod";
import { articles } from "./articles.ts";

const address = "http://127.0.0.1:4000/mcp";
const shop = { ...sandbox(), receivingAccount: "shop", dataDir: ".data" };
const answer = (value: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }] });

const search = paidTool(
  { ...shop, tool: "search", amount: "0.001 HBD" },
  async ({ words }: { words: string }, _context: unknown, _payment: PaidContext) => {
    const found = articles.filter(({ title, body }) =>
      `${title} ${body}`.toLowerCase().includes(words.toLowerCase()),
    );
    return answer(found.map(({ slug, title }) => ({ slug, title })));
  },
);
const read = paidTool(
  { ...shop, tool: "read", amount: "0.050 HBD" },
  async ({ slug }: { slug: string }, _context: unknown, { payer }: PaidContext) =>
    answer({ ...articles.find((one) => one.slug === slug), reader: payer }),
);

function createShop(): McpServer {
  const server = new McpServer({ name: "articles", version: "1.0.0" });
  server.registerTool(
    "search",
    {
      description: "Finds articles. Costs 0.001 HBD.",
      inputSchema: z.object({ words: z.string().max(200) }),
    },
    search,
  );
  const slugs = z.enum(articles.map(({ slug }) => slug));
  server.registerTool(
    "read",
    { description: "Returns an article. Costs 0.050 HBD.", inputSchema: z.object({ slug: slugs }) },
    read,
  );
  return server;
}

if (process.argv.includes("--stdio")) serveStdio(createShop);
else {
  const handler = createMcpHandler(createShop);
  // Keeps a web page from reaching this local server under the page's host name.
  const fetch = (request: Request) =>
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ?? handler.fetch(request);
  const { hostname, port } = new URL(address);
  serve({ fetch, hostname, port: Number(port) }, () => console.log(`The shop is open: ${address}`));
}
