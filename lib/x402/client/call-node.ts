import { readJson } from "../../async/read-body.ts";
import { underSignals } from "../../async/time-limits.ts";

const NODE_TIMEOUT_MS = 2500;

type NodeAnswer = { result?: Record<string, unknown> | null; error?: { message?: unknown } };

/** Asks a chain node for one thing and gives its whole answer. @throws what `fetch` throws, also after 2.5 s */
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
      // Without a content type, which nodes don't ask for, browsers send it at once: no preflight comes before it.
      body,
      signal: until,
    }).then(readJson),
  );
  return (answer as NodeAnswer | null) ?? {};
}

/** The result of a call, empty where the node gave none. @throws as `askNode` */
export async function callNode(
  node: string,
  method: string,
  params: unknown,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  return (await askNode(node, method, params, signal)).result ?? {};
}
