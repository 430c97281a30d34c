import type { ChainReader } from "../../lib/hive/chain-state.ts";
import type { HiveClient } from "../../lib/hive/client.ts";

/** A client that tells of every read, whichever node it goes to: of each look at a node where two must agree, too. */
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
