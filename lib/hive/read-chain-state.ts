import type { ChainReader, ReadOptions } from "./chain-reader.ts";
import { ChainState } from "./chain-state.ts";

/** Where the chain stands: head block, its time, the last irreversible block. */
export function readChainState(chain: ChainReader, options?: ReadOptions): Promise<ChainState> {
  return chain.read("condenser_api.get_dynamic_global_properties", [], ChainState, options);
}
