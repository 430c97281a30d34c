import { afterEach } from "vitest";
import { z } from "zod";
import { createHiveClient, type HiveClient } from "../../lib/hive/client.ts";
import { type ScriptedReply, startScriptedNode } from "./start-scripted-node.ts";

export const chainId = "c0de".padEnd(64, "0");
/** Functions that are called after each test, to close servers. */
export const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

export async function nodeThat(
  reply: (method: string) => ScriptedReply | Promise<ScriptedReply>,
  itsChain: string = chainId,
) {
  const node = await startScriptedNode(itsChain, ({ method }) => reply(method));
  closing.push(node.close);
  return node;
}

/**
 * Creates a client with the product's limit per attempt, so that on a busy machine no healthy node counts as
 * dead.
 */
export function clientOf(nodes: Array<{ url: string }>, timeoutMs?: number): HiveClient {
  const urls = nodes.map(({ url }) => url);
  const client = createHiveClient({ nodes: urls, chainId, ...(timeoutMs !== undefined && { timeoutMs }) });
  closing.push(client.close);
  return client;
}

export const good = () => nodeThat(() => ({ result: "good" }));
export const askedFor = (node: { calls: Array<{ method: string }> }, method = "test.call") =>
  node.calls.filter((call) => call.method === method).length;
export const ask = (client: HiveClient) => client.read("test.call", [], z.string());
