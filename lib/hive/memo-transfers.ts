import { z } from "zod";
import { CodedError } from "../errors.ts";
import { AmountText } from "./amount-text.ts";
import { parseAsset } from "./asset-text.ts";
import { isUnknownMethod } from "./chain-node.ts";
import type { ChainReader, ReadOptions } from "./chain-reader.ts";
import { ChainTime } from "./chain-state.ts";
import { readTransferPages } from "./transfer-pages.ts";

const Hash = z.string().regex(/^[0-9a-f]{40}$/);

const Transfer = z.object({ from: z.string(), to: z.string(), amount: AmountText, memo: z.string() });

const Operation = z.union([
  z.tuple([z.literal("transfer"), Transfer]).transform(([, value]) => value),
  z.object({ type: z.literal("transfer_operation"), value: Transfer }).transform(({ value }) => value),
]);

const Block = z.object({
  block_id: Hash,
  previous: Hash,
  timestamp: ChainTime,
  transaction_ids: z.array(Hash),
  transactions: z.array(z.object({ operations: z.array(z.unknown()) })),
});
const WrappedBlock = z.object({ block: Block.optional() }).transform(({ block }) => block ?? null);

/** A transfer in a block, of any coin. */
export type MemoTransfer = z.infer<typeof Transfer> & {
  txId: string;
  /** The index among the operations of the transaction. */
  operation: number;
  blockNum: number;
  timeMs: number;
};

/** Returns the amount of a transfer of either coin in its smallest unit. */
export const countOf = ({ amount }: Pick<MemoTransfer, "amount">): bigint => parseAsset(amount)?.amount ?? 0n;

/** A block's place on the chain, and its transfers with memos that a caller selects. */
export type TransferBlock = { id: string; previousId: string; timeMs: number; transfers: MemoTransfer[] };

/** Reads a block at one node; null if the node does not have it. */
export async function readTransferBlock(
  chain: ChainReader,
  blockNum: number,
  isWanted: (memo: string) => boolean,
  options?: ReadOptions,
): Promise<TransferBlock | null> {
  const found = await chain
    .read("condenser_api.get_block", [blockNum], Block.nullable(), options)
    .catch((error: unknown) => {
      if (!isUnknownMethod(error)) throw error;
      return chain.read("block_api.get_block", { block_num: blockNum }, WrappedBlock, options);
    });
  if (!found || Number.parseInt(found.block_id.slice(0, 8), 16) !== blockNum) return null;
  const { block_id: id, previous: previousId, timestamp: timeMs } = found;
  const transfers = found.transactions.flatMap(({ operations }, index) =>
    operations.flatMap((given, operation) => {
      const { data } = Operation.safeParse(given);
      const txId = found.transaction_ids[index];
      return data && txId !== undefined && isWanted(data.memo)
        ? [{ ...data, txId, operation, blockNum, timeMs }]
        : [];
    }),
  );
  return { id, previousId, timeMs, transfers };
}

/** A transfer in an account's history, of which only its place and these fields count. */
type NotedTransfer = { to: string; memo: string };

/**
 * Returns the selected memos in an account's transfers since `sinceMs`, with the numbers of their blocks and the
 * amounts, from one node's history. Reads up to `maxTransfers`, newest first.
 * @throws CodedError `chain_unavailable` if the history since then is longer
 */
export async function readMemoBlocks(
  chain: ChainReader,
  account: string,
  {
    sinceMs,
    maxTransfers,
    isWanted,
  }: { sinceMs: number; maxTransfers: number; isWanted: (transfer: NotedTransfer) => boolean },
): Promise<Array<readonly [memo: string, blockNum: number, amount: string]>> {
  const found: Array<readonly [string, number, string]> = [];
  let count = 0;
  for await (const transfers of readTransferPages(chain, account)) {
    for (const { to, memo, blockNum, timeMs, amount } of transfers)
      if (timeMs >= sinceMs && isWanted({ to, memo })) found.push([memo, blockNum, amount]);
    const oldest = transfers.at(-1);
    if (oldest && oldest.timeMs < sinceMs) return found;
    count += transfers.length;
    if (count >= maxTransfers)
      throw new CodedError("chain_unavailable", { cause: new Error("the history is too long") });
  }
  return found;
}
