import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Chain } from "./chain.ts";
import { ChainFault, endOfFile, notServed } from "./errors.ts";
import type { createFaults, Fault } from "./faults.ts";
import type { Api, Method } from "./methods/method.ts";
import { parseJson } from "./parse/fields.ts";
import type { BlockHeader } from "./state/store.ts";

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_BATCH = 100;
const BLOCK_SECONDS = 3;
/** The answer by which wallets recognize a usable node. */
const HEALTH = JSON.stringify({ status: "OK" });
const cors = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "POST, GET, OPTIONS",
  "access-control-allow-headers": "*",
};

/** One address of the chain, with its own faults. */
export type Node = { url: string; port: number; close(): Promise<void> };

type Settings = {
  chain: Chain;
  port: number;
  faults: ReturnType<typeof createFaults>;
  apis: ReadonlyMap<string, Api>;
};

/** The answers to a request body, or what happens to the connection instead. */
type Outcome =
  | { kind: "json"; body: Answer | Answer[] }
  | { kind: "raw"; status: number; body: string }
  | { kind: "cut" }
  | { kind: "hang" };

/** Starts an HTTP server on 127.0.0.1 that speaks the chain's JSON-RPC. */
export async function startNode(settings: Settings): Promise<Node> {
  const server = createServer((request, response) => {
    respond(request, response, settings).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(settings.port, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  settings: Settings,
): Promise<void> {
  if (request.method === "OPTIONS") {
    response.writeHead(204, cors).end();
    return;
  }
  if (request.method === "GET" && request.url === "/health") {
    response.writeHead(200, { ...cors, "content-type": "application/json" }).end(HEALTH);
    return;
  }
  const text = await readBody(request);
  if (text === null) {
    response.writeHead(413, { ...cors, connection: "close" }).end();
    return;
  }
  const outcome = await answer(text, settings);
  if (outcome.kind === "hang") return;
  if (outcome.kind === "cut") response.destroy();
  else if (outcome.kind === "raw")
    response.writeHead(outcome.status, { ...cors, "retry-after": "1" }).end(outcome.body);
  else
    response
      .writeHead(200, { ...cors, "content-type": "application/json" })
      .end(JSON.stringify(outcome.body));
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function answer(text: string, settings: Settings): Promise<Outcome> {
  let body: unknown;
  try {
    if (text === "") throw endOfFile();
    body = parseJson(text);
  } catch (error) {
    if (error instanceof ChainFault) return { kind: "json", body: refuse(null, error) };
    throw error;
  }
  const { isBatch, calls } = readCalls(body);
  const answers: Answer[] = [];
  for (const call of calls.slice(0, MAX_BATCH)) {
    const outcome = await answerCall(call, settings);
    if (outcome.kind !== "json") return outcome;
    answers.push(...[outcome.body].flat());
  }
  const [only] = answers;
  return { kind: "json", body: isBatch || !only ? answers : only };
}

async function answerCall(call: Call, settings: Settings): Promise<Outcome> {
  if ("answer" in call) return { kind: "json", body: call.answer };
  const faults = call.method.startsWith("dev_api.") ? [] : settings.faults.strike(call.method);
  for (const fault of faults) {
    const instead = await suffer(fault, call.id);
    if (instead) return instead;
  }
  const body = await run(call, settings, faults);
  const lost = faults.find((fault) => fault.kind === "lose_answer");
  return lost ? { kind: lost.by } : { kind: "json", body };
}

/** Applies a fault: returns the outcome that replaces the call's own, or null if the call proceeds. */
async function suffer(fault: Fault, id: unknown): Promise<Outcome | null> {
  switch (fault.kind) {
    case "delay":
      await delay(fault.delayMs);
      return null;
    case "cut":
    case "hang":
      return { kind: fault.kind };
    case "answer":
      return { kind: "raw", status: fault.status, body: fault.body };
    case "refuse":
      return { kind: "json", body: { jsonrpc: "2.0", error: fault.error, id } };
    case "lie":
      return { kind: "json", body: succeed(id, fault.result) };
    default:
      return null;
  }
}

async function run(
  { id, method, params }: Exclude<Call, { answer: Answer }>,
  { chain, apis }: Settings,
  faults: readonly Fault[],
): Promise<Answer> {
  try {
    const found = findMethod(apis, method);
    return succeed(id, await found(params, { chain, head: shownHead(chain, faults) }));
  } catch (error) {
    if (error instanceof ChainFault) return refuse(id, error);
    return { jsonrpc: "2.0", error: { code: -32603, message: `Internal error: ${error}` }, id };
  }
}

function shownHead(chain: Chain, faults: readonly Fault[]): BlockHeader {
  const head = chain.head();
  const stale = faults.find((fault) => fault.kind === "stale");
  if (!stale) return head;
  const num = Math.max(1, head.num - Math.ceil(stale.seconds / BLOCK_SECONDS));
  return { ...(chain.history.loadBlock(num) ?? head), time: head.time - stale.seconds };
}

/** A JSON-RPC answer, which may be an error. */
type Answer = { jsonrpc: "2.0"; id?: unknown } & (
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } }
);

/** One call of a request body: a function to run, or the answer if it is not a call. */
type Call = { id: unknown; method: string; params: unknown } | { answer: Answer };

/** Reads the calls of a parsed body: one, or several in a batch. */
function readCalls(body: unknown): { isBatch: boolean; calls: Call[] } {
  if (!Array.isArray(body)) return { isBatch: false, calls: [readCall(body)] };
  if (body.length === 0)
    return { isBatch: false, calls: [{ answer: fail(null, -32000, "Array is invalid") }] };
  return { isBatch: true, calls: body.map(readCall) };
}

function readCall(value: unknown): Call {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { answer: fail(null, -32600, "Invalid request") };
  const { jsonrpc, id, method, params } = value as Record<string, unknown>;
  if (id !== undefined && typeof id !== "string" && !Number.isInteger(id))
    return { answer: fail(null, -32600, 'Only integer value or string is allowed for member "id"') };
  if (jsonrpc !== "2.0") return { answer: fail(id, -32600, 'jsonrpc value is not "2.0"') };
  if (typeof method !== "string") return { answer: fail(id, -32601, 'A member "method" does not exist') };
  if (method !== "call") return { id, method, params: params ?? {} };
  const [api, name, args] = Array.isArray(params) ? params : [];
  if (typeof api !== "string" || typeof name !== "string")
    return { answer: fail(id, -32602, "params should be {api, method, args}") };
  return { id, method: `${api}.${name}`, params: args ?? {} };
}

/** Finds a method by its full name. @throws ChainFault if it is not served */
function findMethod(apis: ReadonlyMap<string, Api>, fullName: string): Method {
  const [apiName = "", method = ""] = fullName.split(".");
  const api = apis.get(apiName);
  if (!api)
    throw notServed("api_itr != data._registered_apis.end()", "Could not find API <api>", { api: apiName });
  const found = Object.hasOwn(api, method) ? api[method] : undefined;
  if (!found)
    throw notServed("method_itr != api_itr->second.end()", "Could not find method <method>", { method });
  return found;
}

function succeed(id: unknown, result: unknown): Answer {
  return { jsonrpc: "2.0", result, id };
}

/** Returns the answer to a refused call. */
function refuse(id: unknown, fault: ChainFault): Answer {
  return fail(id, fault.rpcCode, fault.message, fault.body);
}

function fail(id: unknown, code: number, message: string, data?: unknown): Answer {
  return { jsonrpc: "2.0", error: { code, message, ...(data === undefined ? {} : { data }) }, id };
}
