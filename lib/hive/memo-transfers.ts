import { z } from "zod";
import { CodedError } from "../errors.ts";
import { isMils } from "../mils.ts";
import { parseAsset } from "./asset-text.ts";
import { isUnknownMethod } from "./chain-node.ts";
import type { ChainReader, ReadOptions } from "./chain-reader.ts";
import { ChainTime } from "./chain-state.ts";

/** The bit of the operation "transfer" in the chain's filters. */
const TRANSFERS = 4;
const NEWEST = -1;
const PAGE = 1000;
const HISTORY_TIMEOUT_MS = 5000;

const Hash = z.string().regex(/^[0-9a-f]{40}$/);

const symbols: Readonly<Record<string, string>> = { "@@000000013": "HBD", "@@000000021": "HIVE" };

/** An amount as text such as "0.050 HBD", read from either format of assets. */
const AmountText = z.union([
  z.string().regex(/^\d{1,15}\.\d{3} [A-Z]{3,5}$/),
  z
    .object({
      amount: z.union([z.string().regex(/^\d{1,15}$/), z.number()]),
      nai: z.enum(Object.keys(symbols)),
    })
    .refine(({ amount }) => isMils(Number(amount)))
    .transform(({ amount, nai }) => `${(Number(amount) / 1000).toFixed(3)} ${symbols[nai]}`),
]);

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

const Place = { block: z.number().int().positive(), timestamp: ChainTime };
const Noted = z.object({ memo: z.string(), to: z.string(), amount: AmountText });
const Entry = z.tuple([
  z.number().int(),
  z.union([
    z
      .object({ ...Place, op: z.object({ value: Noted }) })
      .transform(({ op, ...place }) => ({ ...place, ...op.value })),
    z
      .object({ ...Place, op: z.tuple([z.string(), Noted]) })
      .transform(({ op: [, value], ...place }) => ({ ...place, ...value })),
  ]),
]);
const History = z.array(Entry);

/** A transfer in an account's history, of which only its place and these fields count. */
type NotedTransfer = { to: string; memo: string };

/**
 * Returns the selected memos in an account's transfers since `sinceMs`, with the numbers of their blocks and the
 * amounts, from one node's history. Reads up to `maxPages` pages of 1000 transfers, newest first.
 * @throws CodedError `chain_unavailable` if the history since then is longer
 */
export async function readMemoBlocks(
  chain: ChainReader,
  account: string,
  {
    sinceMs,
    maxPages,
    isWanted,
  }: { sinceMs: number; maxPages: number; isWanted: (transfer: NotedTransfer) => boolean },
): Promise<Array<readonly [memo: string, blockNum: number, amount: string]>> {
  const found: Array<readonly [string, number, string]> = [];
  let start = NEWEST;
  for (let page = 0; page < maxPages; page++) {
    const entries = await readHistory(chain, account, start);
    for (const [, { to, memo, block, timestamp, amount }] of entries)
      if (timestamp >= sinceMs && isWanted({ to, memo })) found.push([memo, block, amount]);
    const [oldest] = entries;
    if (!oldest || oldest[0] <= 0 || oldest[1].timestamp < sinceMs) return found;
    start = oldest[0] - 1;
  }
  throw new CodedError("chain_unavailable", { cause: new Error("the history is too long") });
}

function readHistory(chain: ChainReader, account: string, start: number): Promise<z.infer<typeof History>> {
  const options = { timeoutMs: HISTORY_TIMEOUT_MS };
  const limit = start === NEWEST ? PAGE : Math.min(PAGE, start + 1);
  const filter = { include_reversible: true, operation_filter_low: TRANSFERS };
  return chain
    .read(
      "account_history_api.get_account_history",
      { account, start, limit, ...filter },
      z.object({ history: History }),
      options,
    )
    .then(({ history }) => history)
    .catch((error: unknown) => {
      if (!isUnknownMethod(error)) throw error;
      const params = [account, start, limit, TRANSFERS];
      return chain.read("condenser_api.get_account_history", params, History, options);
    });
}
