import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type ScriptedCall = { method: string; params: unknown };

/**
 * A scripted node's response to a call: a result, a JSON-RPC error, raw bytes with a status, no answer, or a
 * cut connection.
 */
export type ScriptedReply =
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } }
  | { status: number; text: string }
  | "hang"
  | "cut";

/**
 * Starts a JSON-RPC server whose answers the test writes. It answers `database_api.get_version` itself, with
 * `chainId`, or as unsupported if that is null. Use it for faults that the embedded chain can't cause.
 */
export async function startScriptedNode(
  chainId: string | null,
  reply: (call: ScriptedCall) => ScriptedReply | Promise<ScriptedReply>,
) {
  const calls: ScriptedCall[] = [];
  const version: ScriptedReply =
    chainId === null
      ? { error: { code: -32002, message: "Could not find API" } }
      : { result: { chain_id: chainId } };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const call: ScriptedCall = { method, params };
    const isVersion = method === "database_api.get_version";
    if (!isVersion) calls.push(call);
    const given = isVersion ? version : await reply(call);
    if (given === "hang") return;
    if (given === "cut") return request.socket.destroy();
    if ("text" in given) return response.writeHead(given.status).end(given.text);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...given }));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
