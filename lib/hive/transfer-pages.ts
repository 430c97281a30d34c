import { z } from "zod";
import { CodedError } from "../errors.ts";
import { AmountText } from "./amount-text.ts";
import { ChainError, isUnknownMethod } from "./chain-node.ts";
import type { ChainReader, ReadOptions } from "./chain-reader.ts";
import { ChainTime } from "./chain-state.ts";

/** The bit of the operation "transfer" in the chain's filters. */
const TRANSFERS = 4;
const NEWEST = -1;
const PAGE = 1000;
const PAGE_TIMEOUT_MS = 5000;
/** Two million operations at a node that looks at 2000 of them for a page. */
const MAX_PAGES = 1000;
/** The longest reading of a history at one node. */
const READING_MS = 60_000;

const Transfer = z.object({ from: z.string(), to: z.string(), amount: AmountText, memo: z.string() });
const Place = {
  trx_id: z.string(),
  block: z.number().int().positive(),
  op_in_trx: z.number().int().nonnegative().default(0),
  timestamp: ChainTime,
};
const Entry = z.tuple([
  z.number().int().nonnegative(),
  z.union([
    z
      .object({ ...Place, op: z.object({ type: z.literal("transfer_operation"), value: Transfer }) })
      .transform(({ op, ...place }) => ({ ...place, ...op.value })),
    z
      .object({ ...Place, op: z.tuple([z.literal("transfer"), Transfer]) })
      .transform(({ op: [, value], ...place }) => ({ ...place, ...value })),
  ]),
]);
const History = z.array(Entry);
const WrappedHistory = z.object({ history: History }).transform(({ history }) => history);

/** A transfer of either coin in an account's history. */
export type PastTransfer = z.infer<typeof Transfer> & {
  txId: string;
  /** The index of the transfer in its transaction. */
  operation: number;
  blockNum: number;
  timeMs: number;
};

/** A node's answer to one request, and the number of the operation to go on at: -1 after the oldest one. */
type Page = { entries: z.infer<typeof History>; next: number };

/**
 * Yields an account's transfers from its history, newest first, page by page, until its first one. A page may be short
 * or empty: hived looks at no more than 2000 of the account's operations for one. Other nodes fill each page.
 * @throws CodedError `chain_unavailable` if the history is too long, or its pages are not in order
 */
export async function* readTransferPages(
  chain: ChainReader,
  account: string,
  { now = () => performance.now(), ...options }: Pick<ReadOptions, "signal"> & { now?: () => number } = {},
): AsyncGenerator<PastTransfer[], void> {
  const endMs = now() + READING_MS;
  let start = NEWEST;
  let isOldName = false;
  const read = (): Promise<Page> => {
    const limit = start === NEWEST ? PAGE : Math.min(PAGE, start + 1);
    const given = { timeoutMs: PAGE_TIMEOUT_MS, ...options };
    const filter = { include_reversible: true, operation_filter_low: TRANSFERS };
    const history = isOldName
      ? chain.read("condenser_api.get_account_history", [account, start, limit, TRANSFERS], History, given)
      : chain.read(
          "account_history_api.get_account_history",
          { account, start, limit, ...filter },
          WrappedHistory,
          given,
        );
    return history.then(toPage, (error: unknown) => {
      if (!isOldName && isUnknownMethod(error)) {
        isOldName = true;
        return read();
      }
      const next = continuationIn(error);
      if (next === null) throw error;
      return { entries: [], next };
    });
  };
  for (let page = 0; page < MAX_PAGES && now() < endMs; page++) {
    const { entries, next } = await read();
    assertOrder(entries, { start, next });
    yield entries.reverse().map(([, entry]) => {
      const { trx_id: txId, op_in_trx: operation, block: blockNum, timestamp: timeMs, ...transfer } = entry;
      return { ...transfer, txId, operation, blockNum, timeMs };
    });
    if (next < 0) return;
    start = next;
  }
  throw new CodedError("chain_unavailable", { cause: new Error("the history is too long") });
}

function toPage(entries: z.infer<typeof History>): Page {
  const [oldest] = entries;
  return { entries, next: oldest ? oldest[0] - 1 : NEWEST };
}

/**
 * Returns the number of the operation at which hived would go on, from its refusal of a page for which it found no
 * transfer among the operations that it looks at; null for any other error.
 */
function continuationIn(error: unknown): number | null {
  if (!(error instanceof ChainError) || error.rpcCode !== -32003) return null;
  const [, next] =
    /Could not find filtered operation in \d+ operations, to continue searching, set start=(\d{1,15})(?!\d)/.exec(
      error.message,
    ) ?? [];
  return next === undefined ? null : Number(next);
}

/** Rejects a page that is not older than the ones before it, with which a node could keep its reader for long. */
function assertOrder(entries: Page["entries"], { start, next }: { start: number; next: number }): void {
  const numbers = [next, ...entries.map(([number]) => number)];
  const isAscending = numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));
  const newest = numbers.at(-1) ?? 0;
  const isInRange = start === NEWEST || (entries.length > 0 ? newest <= start : newest < start);
  if (isAscending && isInRange) return;
  throw new CodedError("chain_unavailable", { cause: new Error("the history is out of order") });
}
