import { forgetOldest } from "../../async/cache.ts";
import { CodedError, hasCode } from "../../errors.ts";
import { ChainError } from "../../hive/chain-node.ts";
import type { HiveClient } from "../../hive/client.ts";
import {
  type MemoTransfer,
  readMemoBlocks,
  readTransferBlock,
  type TransferBlock,
} from "../../hive/memo-transfers.ts";
import { isTicketMemo } from "../ticket-memo.ts";
import type { ChainClock } from "./chain-clock.ts";

/** The distance from the head beyond which following begins again near the head. */
const MAX_DISTANCE = 40;
/** The final blocks that are read though histories may have them, because the nodes of histories may be behind. */
const OVERLAP = 20;
const BLOCKS_AT_ONCE = 8;
/** Longer than any ticket lasts, with room for a clock that is off. */
const HISTORY_MS = 2 * 24 * 3_600_000;
const MAX_PAGES = 20;
/** The pause before a history is read again that no two nodes returned. */
const HISTORY_PAUSE_MS = 2000;
/** The number of readings of new blocks after which a history is read again for a transfer that is not seen. */
const POLLS_OF_HISTORY = 20;
/** The time in which nodes of histories may be behind, so that their newest transfers are read again. */
const HISTORY_LAG_MS = 10 * 60_000;
const MAX_MEMOS = 50_000;
const MAX_PAYEES = 1000;
/** The most older blocks that are read for one memo. */
const MAX_OLD_BLOCKS = 8;
/** The most attempts to follow a chain that forks while it is read. */
const MAX_FORKS = 5;

/** The transfers with a memo, in the order of the chain, and the last block that no fork can undo. */
export type FoundTransfers = {
  transfers: readonly MemoTransfer[];
  irreversibleBlock: number;
  /** Chain time that two nodes have reached, in ms since 1970. */
  reachedTimeMs: number;
};

/** Finds sent transfers by the memos of tickets. */
export type TransferIndex = {
  /** Returns the transfers to an account with a memo. @throws CodedError `chain_unavailable` */
  find(wanted: { memo: string; payTo: string }): Promise<FoundTransfers>;
};

type Followed = { id: string; memos: readonly string[] };
/** The numbers of blocks with transfers to a payee, by memo, as histories show them. */
type Noted = Map<string, number[]>;
type History = {
  noted: Noted;
  reading: Promise<void> | null;
  /** Chain time that two nodes had reached at the last reading, in ms since 1970; null before the first one. */
  readUntilMs: number | null;
  /** Monotonic time. */
  askedAtMs: number;
  failure: unknown;
};

/**
 * Creates the index. Callers share one reading of new blocks every `pollMs`, which two nodes must show alike, and one
 * reading of the history of each payee for the time before. Without callers, nothing is read.
 */
export function createTransferIndex(options: {
  client: HiveClient;
  clock: ChainClock;
  pollMs: number;
}): TransferIndex {
  const { client, clock, pollMs } = options;
  const transfers = new Map<string, MemoTransfer[]>();
  /** The followed blocks that a fork could still undo, and the last ones that none can. */
  const followed = new Map<number, Followed>();
  const histories = new Map<string, History>();
  /** The first block of the index; older ones are found in histories. */
  let begin = 0;
  /** Chain time of the last restart. */
  let beganAtMs = 0;
  let next = 0;
  /** The standing up to which the followed blocks are consistent. */
  let standing = { irreversibleBlock: 0, reachedTimeMs: 0 };
  let reading: Promise<void> | null = null;
  let readAtMs = Number.NEGATIVE_INFINITY;

  const readBlock = async (blockNum: number): Promise<TransferBlock> => {
    const [block] = await client.agree((node) => readTransferBlock(node, blockNum, isTicketMemo));
    if (!block) throw new CodedError("chain_unavailable", { cause: new Error("a block is missing") });
    return block;
  };

  const forgetFrom = (blockNum: number) => {
    for (const [number, { memos }] of followed) {
      if (number < blockNum) continue;
      followed.delete(number);
      for (const memo of memos)
        transfers.set(
          memo,
          (transfers.get(memo) ?? []).filter((one) => one.blockNum !== number),
        );
    }
    next = Math.min(next, blockNum);
  };

  const restart = (blockNum: number) => {
    transfers.clear();
    followed.clear();
    begin = blockNum;
    next = blockNum;
    standing = { ...standing, irreversibleBlock: blockNum - 1 };
  };

  const add = (blockNum: number, block: TransferBlock) => {
    for (const transfer of block.transfers)
      transfers.set(transfer.memo, [...(transfers.get(transfer.memo) ?? []), transfer]);
    followed.set(blockNum, { id: block.id, memos: block.transfers.map(({ memo }) => memo) });
    next = blockNum + 1;
  };

  /** Reads the blocks up to the lower head of the agreeing nodes, on the fork that both are on. */
  const follow = async () => {
    const { views, irreversibleBlock, reachedTimeMs } = await clock(pollMs / 2);
    const last = Math.min(...views.map(({ headBlock }) => headBlock));
    const isNear = next > 0 && last - next < MAX_DISTANCE + OVERLAP && next - 1 - last < MAX_DISTANCE;
    if (!isNear || transfers.size > MAX_MEMOS) {
      restart(Math.max(1, Math.min(irreversibleBlock, last) + 1 - OVERLAP));
      beganAtMs = reachedTimeMs;
    }
    for (let forks = 0; ; forks++) {
      const isForked =
        views.some(
          ({ headBlock, headBlockId }) => (followed.get(headBlock)?.id ?? headBlockId) !== headBlockId,
        ) || !(await readUpTo(last));
      if (!isForked) break;
      if (forks >= MAX_FORKS) throw new CodedError("chain_unavailable", { cause: new Error("forks") });
      // Later blocks may have been read on a fork that was abandoned before the irreversible block passed them.
      forgetFrom(standing.irreversibleBlock + 1);
      await readUpTo(last);
    }
    // Time that was reached stays reached, even if other nodes answer now.
    standing = { irreversibleBlock, reachedTimeMs: Math.max(reachedTimeMs, standing.reachedTimeMs) };
    for (const number of followed.keys())
      if (number < irreversibleBlock - MAX_DISTANCE) followed.delete(number);
  };

  /** Returns false at a block that does not follow the one before it. */
  const readUpTo = async (last: number): Promise<boolean> => {
    while (next <= last) {
      const numbers = Array.from(
        { length: Math.min(BLOCKS_AT_ONCE, last + 1 - next) },
        (_, index) => next + index,
      );
      const blocks = await Promise.all(numbers.map(readBlock));
      for (const block of blocks) {
        const previous = followed.get(next - 1);
        if (previous && previous.id !== block.previousId) return false;
        add(next, block);
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

  /** Reads a payee's history at two nodes. What one of them shows is only a hint, because the blocks are read too. */
  const readPayee = async (payTo: string, history: History): Promise<void> => {
    const untilMs = standing.reachedTimeMs;
    const wanted = {
      sinceMs: Math.max(untilMs - HISTORY_MS, (history.readUntilMs ?? 0) - HISTORY_LAG_MS),
      maxPages: MAX_PAGES,
      isWanted: ({ to, memo }: { to: string; memo: string }) => to === payTo && isTicketMemo(memo),
    };
    const views = await client.agree((node) => readMemoBlocks(node, payTo, wanted), { isSame: () => true });
    for (const [memo, blockNum] of views.flat()) {
      const present = history.noted.get(memo) ?? [];
      if (!present.includes(blockNum)) present.push(blockNum);
      history.noted.set(memo, present);
    }
    history.readUntilMs = untilMs;
  };

  /** Reads the history at most once at a time. */
  const readAgain = (payTo: string, history: History): Promise<void> => {
    history.askedAtMs = performance.now();
    history.failure = null;
    history.reading ??= readPayee(payTo, history)
      .catch((error: unknown) => {
        history.failure = error;
        throw error;
      })
      .finally(() => {
        history.reading = null;
      });
    return history.reading;
  };

  const historyOf = (payTo: string): History => {
    const present = histories.get(payTo);
    const history = present ?? {
      ...{ noted: new Map(), reading: null, readUntilMs: null },
      ...{ askedAtMs: Number.NEGATIVE_INFINITY, failure: null },
    };
    histories.delete(payTo);
    histories.set(payTo, history);
    forgetOldest(histories, MAX_PAYEES);
    return history;
  };

  const findOlder = async (memo: string, payTo: string, isSeen: boolean): Promise<MemoTransfer[]> => {
    const history = historyOf(payTo);
    const isRead = history.readUntilMs !== null && history.readUntilMs >= beganAtMs;
    const isUnseen = () => !isSeen && !history.noted.has(memo);
    const pausedMs = performance.now() - history.askedAtMs;
    if (history.reading !== null) {
      if (!isRead || isUnseen()) await history.reading;
    } else if (!isRead) {
      if (history.failure && pausedMs < HISTORY_PAUSE_MS) throw history.failure;
      await readAgain(payTo, history);
    } else if (isUnseen() && (history.readUntilMs ?? 0) < beganAtMs + HISTORY_LAG_MS)
      if (pausedMs >= pollMs * POLLS_OF_HISTORY) await readAgain(payTo, history);
    const noted = history.noted.get(memo) ?? [];
    const older = noted.filter((blockNum) => blockNum < begin).toSorted((one, other) => one - other);
    const blocks = await Promise.all(older.slice(0, MAX_OLD_BLOCKS).map(readBlock));
    return blocks.flatMap((block) => block.transfers.filter((transfer) => transfer.memo === memo));
  };

  return {
    async find({ memo, payTo }) {
      await refresh();
      const { irreversibleBlock, reachedTimeMs } = standing;
      const newer = transfers.get(memo) ?? [];
      const older = await findOlder(memo, payTo, newer.length > 0).catch((error: unknown) => {
        // Without a history, the followed blocks alone may have the transfer.
        if (newer.length > 0 && isOfChain(error)) return [];
        throw error;
      });
      const sinceMs = reachedTimeMs - HISTORY_MS;
      const found = [...older, ...newer].filter(({ to, timeMs }) => to === payTo && timeMs >= sinceMs);
      return { transfers: found, irreversibleBlock, reachedTimeMs };
    },
  };
}

const isOfChain = (error: unknown) => error instanceof ChainError || hasCode(error, "chain_unavailable");
