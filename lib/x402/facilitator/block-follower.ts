import { setTimeout as wait } from "node:timers/promises";
import { hasCode } from "../../errors.ts";
import { readTransactionIds } from "../../hive/block.ts";
import { ChainError } from "../../hive/chain-node.ts";
import type { HiveClient } from "../../hive/client.ts";
import type { ChainClock } from "./chain-clock.ts";

/** Maximum age of the head at which following begins; an older head would require reading another block. */
const HEAD_AGE_MS = 3000;
/** The longest time that a payment waits for a reading before it asks the chain itself. */
const SLOW_MS = 1000;
/** The distance from the head beyond which following begins again at the head. */
const MAX_DISTANCE = 20;

/** One payment's view of the blocks. */
export type BlockWatch = {
  /**
   * Resolves when there is reason to ask the chain for the payment, with `isSeen` if one node has shown it in a block:
   * that is a hint and proves nothing. Other reasons: a block read after `lostAtMs` lacks it, `giveUpAtMs` has passed
   * without one, blocks cannot be read, or the watch's deadline or `signal` ended the wait.
   */
  next(given: { lostAtMs: number; giveUpAtMs: number; signal: AbortSignal }): Promise<{ isSeen: boolean }>;
  end(): void;
};

export type BlockFollower = {
  /**
   * Watches for a payment's ids in the blocks that follow. Begin before the payment is sent, or its block may be missed.
   * With `isFinalNeeded`, its block counts once it is irreversible.
   */
  watch(given: { ids: readonly string[]; isFinalNeeded: boolean; deadlineMs: number }): BlockWatch;
};

type Watcher = {
  ids: readonly string[];
  isFinalNeeded: boolean;
  deadlineMs: number;
  seenIn: number | null;
  isMissed: boolean;
  waiting: Waiting | null;
};
type Waiting = {
  lostAtMs: number;
  giveUpAtMs: number;
  resolve(found: { isSeen: boolean }): void;
  reject(error: unknown): void;
};

/**
 * Reads new blocks every `pollMs` for all payments that wait in this process, and only while one waits. Nodes take
 * turns, so that none of them can hide a block for long.
 */
export function createBlockFollower(options: {
  client: HiveClient;
  clock: ChainClock;
  pollMs: number;
}): BlockFollower {
  const { client, clock, pollMs } = options;
  const watchers = new Set<Watcher>();
  let isRunning = false;
  /** The first block that has not been read; null while there is no head to begin at. */
  let next: number | null = null;
  let irreversibleBlock = 0;
  let reading: { startedAtMs: number } | null = null;
  let isBlind = false;
  let turn = 0;

  const note = (block: number, ids: readonly string[]) => {
    const found = new Set(ids);
    const nowMs = performance.now();
    for (const watcher of watchers)
      if (watcher.ids.some((id) => found.has(id))) watcher.seenIn = block;
      else if (watcher.waiting && nowMs >= watcher.waiting.lostAtMs) watcher.isMissed = true;
  };

  const tellDue = () => {
    const nowMs = performance.now();
    const isUntold = isBlind || (reading !== null && nowMs - reading.startedAtMs > SLOW_MS);
    for (const watcher of watchers) {
      const { waiting, seenIn, isFinalNeeded, isMissed, deadlineMs } = watcher;
      if (!waiting) continue;
      const isSeen = seenIn !== null && (!isFinalNeeded || irreversibleBlock >= seenIn);
      const isOver = nowMs >= deadlineMs || nowMs >= waiting.giveUpAtMs;
      if (isSeen || isMissed || isUntold || isOver) waiting.resolve({ isSeen });
    }
  };

  /**
   * Reads the blocks up to the higher head of the agreeing nodes. Returns false if it skipped blocks instead.
   */
  const readBlocks = async (): Promise<boolean> => {
    const { views, ...standing } = await clock(-1);
    irreversibleBlock = standing.irreversibleBlock;
    const heads = views.map(({ headBlock }) => headBlock);
    const last = Math.max(...heads);
    if (next === null || Math.abs(last - next) > MAX_DISTANCE) {
      next = Math.min(...heads) + 1;
      return false;
    }
    for (; next <= last; next++) {
      const ids = await readTransactionIds(client, next, { turn: turn++ });
      if (!ids) break;
      note(next, ids);
    }
    return true;
  };

  /** Runs one reading. `work` returns whether no block was left out. */
  const read = async (work: () => Promise<boolean>) => {
    reading = { startedAtMs: performance.now() };
    try {
      isBlind = !(await work());
    } catch (error) {
      isBlind = true;
      const isOfChain = error instanceof ChainError || hasCode(error, "chain_unavailable");
      if (!isOfChain) for (const { waiting } of watchers) waiting?.reject(error);
    }
    reading = null;
    tellDue();
  };

  const begin = async () => {
    next = null;
    const { views } = await clock(HEAD_AGE_MS);
    next = Math.min(...views.map(({ headBlock }) => headBlock)) + 1;
    return true;
  };

  const follow = async () => {
    void read(begin);
    // A reading in progress would move the position of the next reading.
    while (watchers.size > 0 || reading) {
      await wait(pollMs);
      if (watchers.size > 0 && !reading) void read(readBlocks);
      tellDue();
    }
    isRunning = false;
  };

  return {
    watch(given) {
      const watcher: Watcher = { ...given, seenIn: null, isMissed: false, waiting: null };
      watchers.add(watcher);
      if (!isRunning) {
        isRunning = true;
        void follow();
      }
      return {
        next: ({ signal, ...terms }) =>
          new Promise((resolve, reject) => {
            const stop = () => settle(() => resolve({ isSeen: false }));
            const settle = (answer: () => void) => {
              watcher.waiting = null;
              signal.removeEventListener("abort", stop);
              answer();
            };
            watcher.isMissed = false;
            watcher.waiting = {
              ...terms,
              resolve: (found) => settle(() => resolve(found)),
              reject: (error) => settle(() => reject(error)),
            };
            signal.addEventListener("abort", stop, { once: true });
            if (signal.aborted) stop();
          }),
        end: () => void watchers.delete(watcher),
      };
    },
  };
}
