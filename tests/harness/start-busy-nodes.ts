import { createHiveClient } from "#lib/hive/client.ts";
import { callRpc } from "./start-sandbox-chain.ts";
import { type ScriptedReply, startScriptedNode } from "./start-scripted-node.ts";

/** The most operations that hived looks at for one page of a filtered history. */
const LOOKED_AT = 2000;

type Query = { account: string; start: number; limit: number };
type Entry = [number, { op: { type: string } }];

/**
 * Starts a node for each of the chain's, and a client of them. The nodes show a history in which `others` operations of
 * another kind follow each one on the chain, and look through it as hived does.
 */
export async function startBusyNodes(
  { urls, chainId }: { urls: readonly string[]; chainId: string },
  others: number,
) {
  const read = async (url: string, { account, start, limit }: Query): Promise<ScriptedReply> => {
    const query = { account, start: -1, limit: 1000, include_reversible: true };
    const { result, error } = await callRpc(url, "account_history_api.get_account_history", query);
    if (error) return { error };
    const { history } = result as { history: Entry[] };
    const newest = history.length * (others + 1) - 1;
    const first = start === -1 ? newest : Math.min(start, newest);
    const found: Entry[] = [];
    for (let number = first; number >= 0 && found.length < limit; number--) {
      if (number <= first - LOOKED_AT)
        return found.length > 0 ? { result: { history: found } } : goOnAt(number);
      const entry = number % (others + 1) === 0 ? history[number / (others + 1)] : undefined;
      if (entry?.[1].op.type === "transfer_operation") found.unshift([number, entry[1]]);
    }
    return { result: { history: found } };
  };
  const nodes = await Promise.all(
    urls.map((url) =>
      startScriptedNode(chainId, async ({ method, params }) => {
        if (method === "account_history_api.get_account_history") return read(url, params as Query);
        const { result, error } = await callRpc(url, method, params);
        return error ? { error } : { result };
      }),
    ),
  );
  const client = createHiveClient({ nodes: nodes.map(({ url }) => url), chainId });
  return {
    client,
    urls: nodes.map(({ url }) => url),
    async close() {
      await client.close();
      for (const node of nodes) await node.close();
    },
  };
}

const goOnAt = (sequence: number): ScriptedReply => ({
  error: {
    code: -32003,
    message: `Assert Exception:total_processed_items < 2000: Could not find filtered operation in 2000 operations, to continue searching, set start=${sequence}.`,
    data: {
      code: 10,
      name: "assert_exception",
      message: "Assert Exception",
      stack: [{ data: { total_processed_items: 2000, sequence } }],
    },
  },
});
