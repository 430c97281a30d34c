import { type ChainFault, notServed } from "./errors.ts";
import type { Api, Method } from "./methods/method.ts";

/** A JSON-RPC answer; errors are answers too. */
export type Answer = { jsonrpc: "2.0"; id?: unknown } & (
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } }
);

/** One call of a request body: either what to run, or the answer when it isn't a call at all. */
export type Call = { id: unknown; method: string; params: unknown } | { answer: Answer };

/** The calls of a parsed body: one, or several when it is a batch. */
export function readCalls(body: unknown): { isBatch: boolean; calls: Call[] } {
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

/** Finds a method by its full name. @throws ChainFault when it isn't served */
export function findMethod(apis: ReadonlyMap<string, Api>, fullName: string): Method {
  const [apiName = "", method = ""] = fullName.split(".");
  const api = apis.get(apiName);
  if (!api)
    throw notServed("api_itr != data._registered_apis.end()", "Could not find API <api>", { api: apiName });
  const found = Object.hasOwn(api, method) ? api[method] : undefined;
  if (!found)
    throw notServed("method_itr != api_itr->second.end()", "Could not find method <method>", { method });
  return found;
}

export function succeed(id: unknown, result: unknown): Answer {
  return { jsonrpc: "2.0", result, id };
}

/** The answer to a call that the chain refused. */
export function refuse(id: unknown, fault: ChainFault): Answer {
  return fail(id, fault.rpcCode, fault.message, fault.body);
}

function fail(id: unknown, code: number, message: string, data?: unknown): Answer {
  return { jsonrpc: "2.0", error: { code, message, ...(data === undefined ? {} : { data }) }, id };
}
