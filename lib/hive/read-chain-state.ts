import { ChainState } from "./chain-state.ts";
import type { HiveClient, ReadOptions } from "./client.ts";

/** Where the chain stands: head block, its time, the last irreversible block. */
export function readChainState(client: HiveClient, options?: ReadOptions): Promise<ChainState> {
  return client.read("condenser_api.get_dynamic_global_properties", [], ChainState, options);
}
