import { createMCPClient } from "@ai-sdk/mcp";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer as FirstServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type PaidContext, paidTool } from "#lib/x402/mcp/index.ts";
import { openToolShop, type ToolOffer } from "../../../harness/open-tool-shop.ts";

const { shop, listen, serveTools, connect, sign } = await openToolShop();

const given = { city: z.string() };
const sold = () =>
  paidTool(
    { ...shop.price, tool: "forecast" },
    async ({ city }: { city: string }, _context: unknown, { payer }: PaidContext) => ({
      content: [{ type: "text" as const, text: `Sun in ${city} for ${payer}` }],
    }),
  );

const serveFirst = () =>
  listen(async (request, response) => {
    const server = new FirstServer({ name: "shop", version: "1.0.0" });
    server.registerTool("forecast", { inputSchema: given }, sold());
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    await transport.handleRequest(request, response);
  });

const serveSecond = () =>
  serveTools((server) => void server.registerTool("forecast", { inputSchema: z.object(given) }, sold()));

type Result = { isError?: unknown; structuredContent?: unknown; content?: unknown; _meta?: object };
type Call = (params: {
  name: string;
  arguments: Record<string, unknown>;
  _meta?: { [key: string]: unknown };
}) => Promise<Result>;

const firstClient = async (url: string): Promise<Call> => {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url)) as Parameters<typeof client.connect>[0],
  );
  return async (params) => (await client.callTool(params)) as Result;
};

const secondClient = async (url: string): Promise<Call> => {
  const client = await connect(url);
  return (params) => client.callTool(params);
};

/** Creates a client of the AI SDK. Its tools accept no `_meta`, so its `fetch` adds that to the call. */
const aiSdkClient = async (url: string): Promise<Call> => {
  let meta: object | undefined;
  const addingMeta: typeof fetch = (input, init) => {
    const message = typeof init?.body === "string" ? JSON.parse(init.body) : {};
    if (message.method !== "tools/call" || !meta) return fetch(input, init);
    const params = { ...message.params, _meta: meta };
    return fetch(input, { ...init, body: JSON.stringify({ ...message, params }) });
  };
  const client = await createMCPClient({ transport: { type: "http", url, fetch: addingMeta } });
  onTestFinished(() => client.close());
  const tools = await client.tools();
  return async ({ name, arguments: given, _meta }) => {
    meta = _meta;
    return (await tools[name]?.execute(given, { toolCallId: "1", messages: [] })) as Result;
  };
};

/** Creates a client that only supports JSON-RPC. */
const bareClient = async (url: string): Promise<Call> => {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  return async (params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const text = await (await fetch(url, { method: "POST", headers, body })).text();
    const json = text.startsWith("{") ? text : (/^data: (.+)$/m.exec(text)?.[1] ?? "");
    return (JSON.parse(json) as { result: Result }).result;
  };
};

describe.each([
  ["version 2 of the SDK's server", serveSecond],
  ["version 1 of the SDK's server", serveFirst],
] as const)("a paid tool on %s", (_server, start) => {
  test.each([
    ["version 2 of the SDK's client", secondClient],
    ["version 1 of the SDK's client", firstClient],
    ["the AI SDK's client", aiSdkClient],
    ["a plain JSON-RPC client", bareClient],
  ] as const)("completes a sale to %s", async (_client, open) => {
    const call = await open(await start());
    const inRome = { name: "forecast", arguments: { city: "Rome" } };
    const asked = await call(inRome);
    expect(asked.isError).toBe(true);
    expect(asked.content).toEqual([{ type: "text", text: JSON.stringify(asked.structuredContent) }]);
    const payment = await sign(asked.structuredContent as ToolOffer);
    const before = await shop.balances();
    const paid = await call({ ...inRome, _meta: { "x402/payment": payment } });
    expect(paid.content).toEqual([{ type: "text", text: "Sun in Rome for alice" }]);
    expect(paid._meta).toMatchObject({ "x402/payment-response": { success: true, payer: "alice" } });
    expect((await shop.balances()).shop).toBe(before.shop + 50);
  });
});
