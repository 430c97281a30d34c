import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished, test } from "vitest";
import { openShop } from "../../harness/open-shop.ts";
import { walletCommand, walletsOf } from "../../harness/open-wallet.ts";

const { shop, sell } = await openShop();
const openWallet = walletsOf(shop);

test("version 1 of the SDK's client pays with the wallet", async () => {
  const url = await sell(() => new Response("All is well."));
  const { command, args } = walletCommand;
  const client = new Client({ name: "agent", version: "1.0.0" });
  await client.connect(
    new StdioClientTransport({ command, args: [...args, "--wallet", openWallet().folder], stderr: "ignore" }),
  );
  const result = await client.callTool({ name: "pay", arguments: { url } });
  expect(result.structuredContent).toMatchObject({ status: 200, body: "All is well." });
  await client.close();
});

test("the AI SDK's client lists the wallet's tools, calls each of them, and pays", async () => {
  const url = await sell(() => new Response("All is well."));
  const { command, args } = walletCommand;
  const client = await createMCPClient({
    transport: new StdioMCPTransport({
      ...{ command, args: [...args, "--wallet", openWallet().folder], stderr: "ignore" },
    }),
  });
  onTestFinished(() => client.close());
  const tools = await client.tools();
  expect(Object.keys(tools).sort()).toEqual(["balance", "budget", "pay", "quote", "receipts"]);
  const call = (name: string, given: object = {}) =>
    tools[name]?.execute(given, { toolCallId: name, messages: [] });
  const before = await shop.balances();
  expect(await call("quote", { url })).toMatchObject({
    structuredContent: { status: 402, offers: [{ amount: "0.050 HBD", payTo: "shop" }] },
  });
  expect(await shop.balances()).toEqual(before);
  expect(await call("pay", { url })).toMatchObject({
    structuredContent: { status: 200, body: "All is well." },
  });
  expect(await shop.balances()).toMatchObject({ alice: before.alice - 50, shop: before.shop + 50 });
  const balance = `${((before.alice - 50) / 1000).toFixed(3)} HBD`;
  expect(await call("balance")).toMatchObject({ structuredContent: { account: "alice", balance } });
  expect(await call("budget")).toMatchObject({ structuredContent: { spentLastDay: "0.050 HBD" } });
  expect(await call("receipts")).toMatchObject({
    structuredContent: { receipts: [{ amount: "0.050 HBD", txId: expect.stringMatching(/^[0-9a-f]{40}$/) }] },
  });
});

test("a plain JSON-RPC client pays with the wallet, which refuses invalid calls and prints nothing but JSON-RPC", async () => {
  const url = await sell(() => new Response("All is well."));
  const { command, args } = walletCommand;
  const child = spawn(command, [...args, "--wallet", openWallet().folder], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const lines: string[] = [];
  const waiting = new Map<number, (message: { result?: unknown; error?: unknown }) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  let id = 0;
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (method: string, params: object) =>
    new Promise<{ result?: unknown; error?: unknown }>((resolve) => {
      waiting.set(++id, resolve);
      send({ id, method, params });
    });
  const clientInfo = { name: "by hand", version: "1.0.0" };
  await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  const paid = await ask("tools/call", { name: "pay", arguments: { url } });
  expect(paid.result).toMatchObject({ structuredContent: { status: 200, body: "All is well." } });
  const hostile = [
    { name: "pay", arguments: { url: { href: url } } },
    { name: "pay", arguments: { url, method: "TRACE" } },
    { name: "pay", arguments: { url, body: "x".repeat(70_000), method: "POST" } },
    { name: "pay", arguments: {} },
    { name: "receipts", arguments: { limit: 1e9 } },
    { name: "set_limit", arguments: { maxPayment: "1000.000 HBD" } },
  ];
  for (const params of hostile) {
    const { result, error } = await ask("tools/call", params);
    expect(error ?? (result as { isError?: boolean }).isError).toBeTruthy();
  }
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  child.kill();
});
