import type { ChainReader } from "../../lib/hive/chain-reader.ts";
import type { HiveClient } from "../../lib/hive/client.ts";

/**
 * Wraps a client so that it reports every read at any node, including each read of several nodes that must
 * agree.
 */
export function countCalls(client: HiveClient, onRead: (method: string) => void): HiveClient {
  const counting = (chain: ChainReader): ChainReader => ({
    read(method, ...rest) {
      onRead(method);
      return chain.read(method, ...rest);
    },
  });
  return {
    ...client,
    ...counting(client),
    agree: (look, options) => client.agree((node) => look(counting(node)), options),
  };
}
