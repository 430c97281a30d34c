import { forgetOldest } from "../../async/cache.ts";
import type { MemoTransfer } from "../../hive/memo-transfers.ts";

const MAX_BLOCKS = 1000;
const MAX_TRANSFERS = 10_000;
/** The blocks whose last readings are noted by number alone. */
const MAX_NUMBERS = 100_000;

type Transfers = readonly MemoTransfer[];

/** The transfers of older blocks, of which those that no fork can undo are kept. */
export type OlderBlocks = {
  has(blockNum: number): boolean;
  /** Sorts blocks by their last readings: those never read first, then those read the longest time ago. */
  inTurn(blockNums: readonly number[]): number[];
  /** Returns the transfers of a block, which callers at the same time read together. */
  read(blockNum: number): Promise<Transfers>;
};

/**
 * Creates the blocks, which are shared by all memos, because anyone can send many memos in one block. Those that were
 * read first are dropped beyond 1000 blocks or 10 000 transfers; the latest one always stays.
 */
export function createOlderBlocks(options: {
  readBlock: (blockNum: number) => Promise<{ transfers: Transfers }>;
  isFinal: (blockNum: number) => boolean;
}): OlderBlocks {
  const { readBlock, isFinal } = options;
  const kept = new Map<number, Transfers>();
  const readings = new Map<number, Promise<Transfers>>();
  /** The order of the last readings. */
  const turns = new Map<number, number>();
  let count = 0;
  let turn = 0;

  const keep = (blockNum: number, transfers: Transfers) => {
    kept.set(blockNum, transfers);
    count += transfers.length;
    for (const [oldest, { length }] of kept) {
      if (kept.size === 1 || (kept.size <= MAX_BLOCKS && count <= MAX_TRANSFERS)) return;
      kept.delete(oldest);
      count -= length;
    }
  };

  const readNew = async (blockNum: number): Promise<Transfers> => {
    turns.delete(blockNum);
    turns.set(blockNum, ++turn);
    forgetOldest(turns, MAX_NUMBERS);
    try {
      const { transfers } = await readBlock(blockNum);
      if (isFinal(blockNum)) keep(blockNum, transfers);
      return transfers;
    } finally {
      readings.delete(blockNum);
    }
  };

  return {
    has: (blockNum) => kept.has(blockNum),
    inTurn: (blockNums) =>
      blockNums.toSorted((one, other) => (turns.get(one) ?? 0) - (turns.get(other) ?? 0)),
    async read(blockNum) {
      const present = kept.get(blockNum);
      if (present) return present;
      const reading = readings.get(blockNum) ?? readNew(blockNum);
      readings.set(blockNum, reading);
      return reading;
    },
  };
}
