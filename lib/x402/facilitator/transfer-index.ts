import { forgetOldest } from "../../async/cache.ts";
import { CodedError, hasCode } from "../../errors.ts";
import { ChainError } from "../../hive/chain-node.ts";
import type { HiveClient } from "../../hive/client.ts";
import {
  countOf,
  type MemoTransfer,
  readTransferBlock,
  type TransferBlock,
} from "../../hive/memo-transfers.ts";
import { bareMemoOf, holdsTicketMemo } from "../ticket-memo.ts";
import type { ChainClock } from "./chain-clock.ts";
import { createKnownPayees } from "./known-payees.ts";
import { createOlderBlocks } from "./older-blocks.ts";
import { createPayeeHistories } from "./payee-histories.ts";

/** The distance from the head beyond which following begins again near the head. */
const MAX_DISTANCE = 40;
/** The final blocks that are read though histories may have them, because the nodes of histories may be behind. */
const OVERLAP = 20;
const BLOCKS_AT_ONCE = 8;
/** Longer than any ticket lasts, with room for a clock that is off. */
const HISTORY_MS = 2 * 24 * 3_600_000;
/** The time in which transfers of older tickets are looked for. */
const WHOLE_HISTORY_MS = 35 * 24 * 3_600_000;
/** Far more than anyone sends by mistake. The first transfers of a memo are kept, whatever comes after them, … */
const FIRST_OF_MEMO = 64;
/** … and the largest of the others, so that dust which came first hides none of them. */
const LARGEST_OF_MEMO = 64;
const MAX_OF_PAYEE = 10_000;
const MAX_PAYEES = 1000;
/** The older blocks that are read for one memo at a time in the order of the hints, whose first ones matter most, … */
const FIRST_OLD_BLOCKS = 4;
/** … and those that were read the longest time ago or never, so that each has its turn, however few are kept. */
const NEXT_OLD_BLOCKS = 4;
/** The most attempts to follow a chain that forks while it is read. */
const MAX_FORKS = 5;

/**
 * The transfers with a memo, also with whitespace around it, in the order of the chain, and the last block that no fork
 * can undo.
 */
export type FoundTransfers = {
  transfers: readonly MemoTransfer[];
  irreversibleBlock: number;
  /** Chain time that two nodes have reached, in ms since 1970. */
  reachedTimeMs: number;
};

/** Finds sent transfers by the memos of tickets. */
export type TransferIndex = {
  /**
   * Returns the transfers with a memo, also with whitespace around it, to an account, from a time (ms since 1970) on. If many are older than what was
   * followed, those of the amount that is due are found first, and each call finds some more of the others.
   * @throws CodedError `chain_unavailable`, `overloaded`
   */
  find(wanted: Wanted): Promise<FoundTransfers>;
};

/** `amount` is a text such as "0.050 HBD". */
type Wanted = { memo: string; payTo: string; amount: string; sinceMs: number };
type Followed = { id: string; transfers: readonly MemoTransfer[] };
/** The followed transfers to a payee that was asked for, by bare memo, in the order of their first transfers. */
type Watched = {
  /** The first block of which all transfers are here; older ones are found in the history. */
  begin: number;
  /** Chain time of that beginning, or later. */
  beganAtMs: number;
  memos: Map<string, MemoTransfer[]>;
  count: number;
};
/**
 * Creates the index. Callers share one reading of new blocks every `pollMs`, which two nodes must show alike, and one
 * reading of the history of each payee for the time before. Without callers, nothing is read. No stranger's requests
 * delay those about `seller`, even before one of its transfers is found.
 */
export function createTransferIndex(options: {
  client: HiveClient;
  clock: ChainClock;
  pollMs: number;
  seller?: string | undefined;
}): TransferIndex {
  const { client, clock, pollMs } = options;
  const watched = new Map<string, Watched>();
  /** The followed blocks that a fork could still undo, and the last ones that none can. */
  const followed = new Map<number, Followed>();
  /** Blocks of the batch being read that no fork can undo, while earlier ones are missing. */
  const ahead = new Map<number, TransferBlock>();
  const known = createKnownPayees(MAX_PAYEES, options.seller);
  const histories = createPayeeHistories({ client, pollMs, isKnown: known.has });
  let next = 0;
  /** The standing up to which the followed blocks are consistent. */
  let standing = { irreversibleBlock: 0, reachedTimeMs: 0 };
  let reading: Promise<void> | null = null;
  let readAtMs = Number.NEGATIVE_INFINITY;

  const readBlock = async (blockNum: number): Promise<TransferBlock> => {
    const [block] = await client.agree((node) => readTransferBlock(node, blockNum, holdsTicketMemo));
    if (!block) throw new CodedError("chain_unavailable", { cause: new Error("a block is missing") });
    return block;
  };

  const olderBlocks = createOlderBlocks({
    readBlock,
    isFinal: (blockNum) => blockNum <= standing.irreversibleBlock,
  });

  const keep = (payee: Watched, transfer: MemoTransfer) => {
    const memo = bareMemoOf(transfer.memo);
    const present = payee.memos.get(memo) ?? [];
    present.push(transfer);
    payee.memos.set(memo, present);
    payee.count += 1;
    if (present.length <= FIRST_OF_MEMO + LARGEST_OF_MEMO) return;
    const least = present
      .slice(FIRST_OF_MEMO)
      .reduce((one, other) => (countOf(other) <= countOf(one) ? other : one));
    present.splice(present.indexOf(least), 1);
    payee.count -= 1;
  };

  const watch = (payTo: string): Watched => {
    const present = watched.get(payTo);
    const payee = present ?? {
      ...{ begin: Math.min(next, ...followed.keys()), beganAtMs: standing.reachedTimeMs },
      ...{ memos: new Map(), count: 0 },
    };
    watched.delete(payTo);
    watched.set(payTo, payee);
    forgetStrangers();
    if (!present)
      for (const { transfers } of followed.values())
        for (const transfer of transfers) if (transfer.to === payTo) keep(payee, transfer);
    return payee;
  };

  /** Drops memos that are too old or exceed the limit. From then on, the history has them. */
  const trim = (payee: Watched, sinceMs: number) => {
    for (const [memo, transfers] of payee.memos) {
      const { timeMs, blockNum } = transfers.at(-1) as MemoTransfer;
      if (timeMs >= sinceMs && payee.count <= MAX_OF_PAYEE) return;
      payee.memos.delete(memo);
      payee.count -= transfers.length;
      payee.begin = Math.max(payee.begin, blockNum + 1);
      payee.beganAtMs = Math.max(payee.beganAtMs, timeMs);
    }
  };

  /** Keeps following known payees, as far as there are others to drop. */
  const forgetStrangers = () => {
    if (watched.size <= MAX_PAYEES) return;
    for (const payTo of watched.keys()) if (!known.has(payTo)) return void watched.delete(payTo);
    forgetOldest(watched, MAX_PAYEES);
  };

  const forgetFrom = (blockNum: number) => {
    for (const [number, { transfers }] of followed) {
      if (number < blockNum) continue;
      followed.delete(number);
      for (const { to, memo: sent } of transfers) {
        const memo = bareMemoOf(sent);
        const payee = watched.get(to);
        const present = payee?.memos.get(memo);
        if (!payee || !present) continue;
        const rest = present.filter((one) => one.blockNum !== number);
        payee.count -= present.length - rest.length;
        if (rest.length > 0) payee.memos.set(memo, rest);
        else payee.memos.delete(memo);
      }
    }
    ahead.clear();
    next = Math.min(next, blockNum);
  };

  const restart = (blockNum: number) => {
    watched.clear();
    followed.clear();
    ahead.clear();
    next = blockNum;
    standing = { ...standing, irreversibleBlock: blockNum - 1 };
  };

  const add = (blockNum: number, { id, transfers }: TransferBlock) => {
    followed.set(blockNum, { id, transfers });
    ahead.delete(blockNum);
    for (const transfer of transfers) {
      const payee = watched.get(transfer.to);
      if (payee) keep(payee, transfer);
    }
    next = blockNum + 1;
  };

  /** Reads the blocks up to the lower head of the agreeing nodes, on the fork that both are on. */
  const follow = async () => {
    const { views, irreversibleBlock, reachedTimeMs } = await clock(pollMs / 2);
    const last = Math.min(...views.map(({ headBlock }) => headBlock));
    const isNear = next > 0 && last - next < MAX_DISTANCE + OVERLAP && next - 1 - last < MAX_DISTANCE;
    if (!isNear) restart(Math.max(1, Math.min(irreversibleBlock, last) + 1 - OVERLAP));
    for (let forks = 0; ; forks++) {
      const isForked =
        views.some(
          ({ headBlock, headBlockId }) => (followed.get(headBlock)?.id ?? headBlockId) !== headBlockId,
        ) || !(await readUpTo(last, irreversibleBlock));
      if (!isForked) break;
      if (forks >= MAX_FORKS) throw new CodedError("chain_unavailable", { cause: new Error("forks") });
      // Later blocks may have been read on a fork that was abandoned before the irreversible block passed them.
      forgetFrom(standing.irreversibleBlock + 1);
      await readUpTo(last, irreversibleBlock);
    }
    // Time that was reached stays reached, even if other nodes answer now.
    standing = { irreversibleBlock, reachedTimeMs: Math.max(reachedTimeMs, standing.reachedTimeMs) };
    for (const number of followed.keys())
      if (number < irreversibleBlock - MAX_DISTANCE) followed.delete(number);
    for (const payee of watched.values()) trim(payee, standing.reachedTimeMs - HISTORY_MS);
  };

  /** Reads a block, and keeps it if no fork can undo it, because the blocks before it may need more attempts. */
  const readAhead = async (blockNum: number, irreversibleBlock: number): Promise<TransferBlock> => {
    const present = ahead.get(blockNum);
    if (present) return present;
    const block = await readBlock(blockNum);
    if (blockNum <= irreversibleBlock) ahead.set(blockNum, block);
    return block;
  };

  /**
   * Returns false at a block that does not follow the one before it. On a slow chain, some blocks of each batch fail:
   * reading goes on as long as attempts bring further blocks, and the next call begins where this one ended.
   */
  const readUpTo = async (last: number, irreversibleBlock: number): Promise<boolean> => {
    while (next <= last) {
      const numbers = Array.from(
        { length: Math.min(BLOCKS_AT_ONCE, last + 1 - next) },
        (_, index) => next + index,
      );
      const countBefore = next + ahead.size;
      const readings = await Promise.allSettled(
        numbers.map((number) => readAhead(number, irreversibleBlock)),
      );
      for (const reading of readings) {
        if (reading.status === "rejected") {
          if (next + ahead.size === countBefore) throw reading.reason;
          break;
        }
        const previous = followed.get(next - 1);
        if (previous && previous.id !== reading.value.previousId) return false;
        add(next, reading.value);
      }
    }
    return true;
  };

  const refresh = (): Promise<void> => {
    if (reading !== null) return reading;
    if (performance.now() - readAtMs < pollMs) return Promise.resolve();
    reading = follow()
      .then(() => {
        readAtMs = performance.now();
      })
      .finally(() => {
        reading = null;
      });
    return reading;
  };

  /** Reads the transfers of a memo in an older block. */
  const readOlder = async (blockNum: number, { memo, payTo }: Wanted): Promise<MemoTransfer[]> => {
    const transfers = await olderBlocks.read(blockNum);
    return transfers.filter((one) => bareMemoOf(one.memo) === memo && one.to === payTo);
  };

  const findOlder = async (
    wanted: Wanted,
    { begin, beganAtMs }: Watched,
    newer: readonly MemoTransfer[],
  ): Promise<MemoTransfer[]> => {
    const { reachedTimeMs } = standing;
    const depthMs = wanted.sinceMs >= reachedTimeMs - HISTORY_MS ? HISTORY_MS : WHOLE_HISTORY_MS;
    const asked = { ...wanted, depthMs, beganAtMs, reachedTimeMs, isSeen: newer.length > 0 };
    const named = await histories.blocksOf(asked);
    const older = named.filter((place) => place < begin && !newer.some(({ blockNum }) => blockNum === place));
    const unread = older.filter((blockNum) => !olderBlocks.has(blockNum));
    const late = new Set(unread.slice(FIRST_OLD_BLOCKS));
    for (const blockNum of olderBlocks.inTurn([...late]).slice(0, NEXT_OLD_BLOCKS)) late.delete(blockNum);
    const read = older.filter((blockNum) => !late.has(blockNum));
    const found = await Promise.all(read.map((blockNum) => readOlder(blockNum, wanted)));
    for (const [index, transfers] of found.entries())
      if (transfers.length === 0) histories.dismiss(asked, read[index] as number);
    // The next look reads the others.
    if (late.size > 0 && found.flat().length === 0)
      throw new CodedError("chain_unavailable", { cause: new Error("more blocks are to be read") });
    return found.flat().toSorted((one, other) => one.blockNum - other.blockNum);
  };

  return {
    async find(wanted) {
      const { memo, payTo, sinceMs } = wanted;
      await refresh();
      const { irreversibleBlock, reachedTimeMs } = standing;
      const payee = watch(payTo);
      const newer = [...(payee.memos.get(memo) ?? [])];
      // Before the history is read, so that a seller does not wait behind strangers' payees.
      if (newer.length > 0) known.add(payTo);
      const older = await findOlder(wanted, payee, newer).catch((error: unknown) => {
        // Without a history, the followed blocks alone may have the transfer.
        if (newer.length > 0 && isPassing(error)) return [];
        throw error;
      });
      const fromMs = Math.min(sinceMs, reachedTimeMs - HISTORY_MS);
      const found = [...older, ...newer].filter(({ to, timeMs }) => to === payTo && timeMs >= fromMs);
      if (found.length > 0) known.add(payTo);
      return { transfers: found, irreversibleBlock, reachedTimeMs };
    },
  };
}

/** Returns whether a history can't be read just now, because of the chain or of too many strangers' requests. */
const isPassing = (error: unknown) =>
  error instanceof ChainError || hasCode(error, "chain_unavailable") || hasCode(error, "overloaded");
