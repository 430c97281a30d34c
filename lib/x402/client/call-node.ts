import { readJson } from "../../async/read-body.ts";
import { underSignals } from "../../async/time-limits.ts";

const NODE_TIMEOUT_MS = 2500;

type NodeAnswer = { result?: Record<string, unknown> | null; error?: { message?: unknown } };

/**
 * Calls a chain node once and returns its whole answer. @throws the errors of `fetch`, including a timeout
 * after 2.5 s
 */
export async function askNode(
  node: string,
  method: string,
  params: unknown,
  signal?: AbortSignal,
): Promise<NodeAnswer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await underSignals([signal, AbortSignal.timeout(NODE_TIMEOUT_MS)], (until) =>
    fetch(node, {
      method: "POST",
      // Without a content type, which nodes do not require, browsers send the call without a preflight.
      body,
      signal: until,
    }).then(readJson),
  );
  return (answer as NodeAnswer | null) ?? {};
}

/** Returns the result of a call, or an empty one if the node sent none. @throws as `askNode` does */
export async function callNode(
  node: string,
  method: string,
  params: unknown,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  return (await askNode(node, method, params, signal)).result ?? {};
}
