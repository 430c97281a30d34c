import { z } from "zod";
import { isUnknownMethod } from "./chain-node.ts";
import type { ChainReader, ReadOptions } from "./chain-reader.ts";

const Hash = z.string().regex(/^[0-9a-f]{40}$/);
const Block = z.object({ block_id: Hash, transaction_ids: z.array(Hash) });
const WrappedBlock = z.object({ block: Block.optional() }).transform(({ block }) => block ?? null);

/** Returns the ids of a block's transactions according to one node; null if the node does not have the block. */
export async function readTransactionIds(
  chain: ChainReader,
  block: number,
  options?: ReadOptions,
): Promise<readonly string[] | null> {
  const found = await chain
    .read("condenser_api.get_block", [block], Block.nullable(), options)
    .catch((error: unknown) => {
      if (!isUnknownMethod(error)) throw error;
      return chain.read("block_api.get_block", { block_num: block }, WrappedBlock, options);
    });
  const isRightBlock = found !== null && Number.parseInt(found.block_id.slice(0, 8), 16) === block;
  return isRightBlock ? found.transaction_ids : null;
}
