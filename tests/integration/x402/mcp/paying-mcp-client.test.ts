import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { McpServer } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { PaymentError } from "#lib/x402/client/index.ts";
import {
  type PaidToolOptions,
  type PayingMcpOptions,
  paidTool,
  payingMcpClient,
} from "#lib/x402/mcp/index.ts";
import { createMemoryStore } from "#lib/x402/memory-store.ts";
import { openToolShop, textOf } from "../../../harness/open-tool-shop.ts";

const { shop, serve, serveTools, connect } = await openToolShop();

const inRome = { name: "forecast", arguments: { city: "Rome" } };

const forecast =
  (work: () => object | Promise<object> = () => ({}), options: Partial<PaidToolOptions> = {}) =>
  (server: McpServer) => {
    server.registerTool(
      "forecast",
      { inputSchema: z.object({ city: z.string() }) },
      paidTool({ ...shop.price, tool: "forecast", ...options }, async ({ city }, _context, { payer }) => ({
        content: [{ type: "text" as const, text: `Sun in ${city} for ${payer}` }],
        ...(await work()),
      })),
    );
    server.registerTool("greet", {}, () => ({ content: [{ type: "text" as const, text: "hello" }] }));
  };

/** Opens alice's client of a server's tools. */
async function openPayer(url: string, options: Partial<PayingMcpOptions> = {}) {
  const client = await connect(url);
  return payingMcpClient(client, { ...shop.purse(), server: url, ...options } as PayingMcpOptions);
}

const codeOf = (error: unknown) => (error instanceof PaymentError ? error.code : error);

describe("a paying MCP client", () => {
  test("pays for a tool, and returns its result with the receipt", async () => {
    const payer = await openPayer(await serveTools(forecast()));
    const before = await shop.balances();
    const result = await payer.callTool(inRome);
    expect([result.isError, textOf(result)]).toEqual([undefined, "Sun in Rome for alice"]);
    expect(result._meta?.["x402/payment-response"]).toMatchObject({ success: true, payer: "alice" });
    expect((await shop.balances()).alice).toBe(before.alice - 50);
    expect(await payer.spent()).toMatchObject({ lastDay: "0.050 HBD" });
  });

  test("returns a free tool's result and an argument error without paying", async () => {
    const payer = await openPayer(await serveTools(forecast()));
    expect(textOf(await payer.callTool({ name: "greet" }))).toBe("hello");
    expect((await payer.callTool({ name: "forecast", arguments: { city: 7 } })).isError).toBe(true);
    expect(await payer.spent()).toMatchObject({ lastDay: "0.000 HBD" });
  });

  test("quotes a call without paying", async () => {
    const payer = await openPayer(await serveTools(forecast()));
    expect(await payer.quote(inRome)).toMatchObject({
      refusal: null,
      offers: [{ amount: "0.050 HBD", payTo: "shop" }],
    });
    expect(await payer.spent()).toMatchObject({ lastDay: "0.000 HBD" });
  });

  test("pays nothing beyond its limits, budget and approval", async () => {
    const url = await serveTools(forecast());
    const before = await shop.balances();
    const cases: Array<[Partial<PayingMcpOptions>, string]> = [
      [{ maxPayment: "0.049 HBD" }, "over_limit"],
      [{ budget: { perDay: "0.049 HBD" } }, "over_budget"],
      [{ budget: { perHost: "0.049 HBD" } }, "over_budget"],
      [{ allowedHosts: ["tools.example"] }, "host_not_allowed"],
      [{ allowedPayees: ["bob"] }, "payee_not_allowed"],
      [{ approve: () => false }, "not_approved"],
    ];
    for (const [options, code] of cases)
      expect(codeOf(await (await openPayer(url, options)).callTool(inRome).catch((error) => error))).toBe(
        code,
      );
    expect(await shop.balances()).toEqual(before);
  });

  test("signs once for a call whose answer is lost, and gets the lost result", async () => {
    let runs = 0;
    let signed = 0;
    const count = () => {
      runs++;
      return {};
    };
    const inner = await serveTools(forecast(count));
    let isLost = true;
    const url = await serve(async (request) => {
      const body = await request.text();
      const { method, headers } = request;
      const answer = await fetch(inner, { method, headers, ...(method === "POST" && { body }) });
      if (isLost && body.includes("signatures")) {
        isLost = false;
        await answer.text();
        throw new Error("the connection breaks");
      }
      return answer;
    });
    const payer = await openPayer(url, { approve: () => ++signed > 0 });
    const before = await shop.balances();
    expect(textOf(await payer.callTool(inRome))).toBe("Sun in Rome for alice");
    expect([runs, signed]).toEqual([1, 1]);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("pays once for a tool that fails at first and succeeds on the next equal call", async () => {
    let isBroken = true;
    const url = await serveTools(forecast(() => (isBroken ? { isError: true } : {})));
    const payer = await openPayer(url);
    const before = await shop.balances();
    expect((await payer.callTool(inRome)).isError).toBe(true);
    isBroken = false;
    expect(textOf(await payer.callTool(inRome))).toBe("Sun in Rome for alice");
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("pays once for a tool that succeeds only after the client's restart, if its budget has a store", async () => {
    let isBroken = true;
    const url = await serveTools(forecast(() => (isBroken ? { isError: true } : {})));
    const budget = { store: createMemoryStore() };
    const before = await shop.balances();
    await (await openPayer(url, { budget })).callTool(inRome);
    isBroken = false;
    const next = await openPayer(url, { budget });
    expect(textOf(await next.callTool(inRome))).toBe("Sun in Rome for alice");
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("pays separately for other arguments", async () => {
    const payer = await openPayer(await serveTools(forecast()));
    await payer.callTool(inRome);
    expect(textOf(await payer.callTool({ name: "forecast", arguments: { city: "Oslo" } }))).toContain("Oslo");
    expect(await payer.spent()).toMatchObject({ lastDay: "0.100 HBD" });
  });

  test("wraps a client of the SDK's version 1", async () => {
    const url = await serveTools(forecast());
    const client = new FirstClient({ name: "test", version: "1.0.0" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url)) as Parameters<typeof client.connect>[0],
    );
    const payer = payingMcpClient(client, { ...shop.purse(), server: url });
    const { content } = await payer.callTool(inRome);
    expect(content).toEqual([{ type: "text", text: "Sun in Rome for alice" }]);
    await client.close();
  });

  test.each(["the text", "x402/error"])("reads an offer that is only in %s", async (place) => {
    const sold = forecast();
    const url = await serveTools((server) => {
      const tools = new Map<string, (...given: never[]) => Promise<object>>();
      sold({ registerTool: (name: string, _config: object, run: never) => tools.set(name, run) } as never);
      server.registerTool("forecast", { inputSchema: z.object({ city: z.string() }) }, async (...given) => {
        const result = (await tools.get("forecast")?.(...(given as unknown as never[]))) as {
          isError?: true;
          structuredContent?: unknown;
          content: [{ type: "text"; text: string }];
        };
        if (!result.isError) return result;
        const { structuredContent, ...rest } = result;
        return place === "the text"
          ? rest
          : { isError: true, content: [], _meta: { "x402/error": structuredContent } };
      });
    });
    expect(textOf(await (await openPayer(url)).callTool(inRome))).toBe("Sun in Rome for alice");
  });

  test.each([
    ["an offer of another chain", { scheme: "exact", network: "eip155:8453", amount: "10000", asset: "0x0" }],
    ["a list in place of an offer", []],
    ["an empty list of offers", undefined],
  ])("rejects with a PaymentError for %s", async (_name, entry) => {
    const asked = { x402Version: 2, accepts: entry === undefined ? [] : [entry] };
    const url = await serveTools((server) =>
      server.registerTool("forecast", { inputSchema: z.object({ city: z.string() }) }, () => ({
        isError: true,
        content: [{ type: "text" as const, text: JSON.stringify(asked) }],
        structuredContent: asked,
      })),
    );
    const payer = await openPayer(url);
    expect(await payer.callTool(inRome).catch((error) => error)).toBeInstanceOf(PaymentError);
  });

  test.each(["", "notes", "/mcp", "mcp:"])("refuses %j as the server's name", async (server) => {
    expect(() => payingMcpClient({ callTool: async () => ({}) }, { ...shop.purse(), server })).toThrow(
      TypeError,
    );
  });
});
