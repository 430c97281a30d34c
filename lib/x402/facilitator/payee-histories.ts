import { forgetOldest } from "../../async/cache.ts";
import { createSharedTurns, createTurns } from "../../async/turns.ts";
import { CodedError } from "../../errors.ts";
import type { HiveClient } from "../../hive/client.ts";
import { readMemoBlocks } from "../../hive/memo-transfers.ts";
import { bareMemoOf, holdsTicketMemo } from "../ticket-memo.ts";
import { startDeadline } from "./deadline.ts";

const MAX_TRANSFERS = 20_000;
/** The longest reading of a history, its wait for a place included. */
const READING_MS = 30_000;
/** The pause before a history is read again that no two nodes returned. */
const FAILED_PAUSE_MS = 2000;
/** The number of readings of new blocks after which a history is read again for an unseen transfer. */
const POLLS_OF_HISTORY = 20;
/** The time in which nodes of histories are often behind, so that their newest transfers are read again. */
const LAG_MS = 10 * 60_000;
const MAX_HISTORIES = 1000;
/** Histories read at once; payees without any found transfer share one of these places. */
const READ_AT_ONCE = 2;
const MOST_WAITING = 100;
/** The most readings in a minute for payees without any found transfer. */
const STRANGERS_A_MINUTE = 60;
const MINUTE_MS = 60_000;

/** The transfers that are wanted, and the time from which all newer ones are known. */
export type WantedBlocks = {
  memo: string;
  payTo: string;
  /** The amount that is due, such as "0.050 HBD". */
  amount: string;
  /** The time in ms that the history is read back. */
  depthMs: number;
  beganAtMs: number;
  /** Chain time that two nodes have reached, in ms since 1970. */
  reachedTimeMs: number;
  /** True if a transfer with the memo was found without the history. */
  isSeen: boolean;
};

/** The blocks that hold transfers to payees, according to their histories. */
export type PayeeHistories = {
  /**
   * Returns the blocks that nodes name for a memo, also with whitespace around it: first those with exactly the memo and
   * the amount that is due, so that nothing hides them. These are hints, which take turns by node, because one of them may be dishonest.
   * @throws CodedError `chain_unavailable`, `overloaded`
   */
  blocksOf(wanted: WantedBlocks): Promise<readonly number[]>;
  /** Removes a hint that was wrong. */
  dismiss(wanted: Pick<WantedBlocks, "memo" | "payTo" | "depthMs">, blockNum: number): void;
};

/** A named block, the amount, and whether the memo has no whitespace around it. */
type Hint = { blockNum: number; amount: string; isBare: boolean };
/** The answers of the nodes. */
type Views = ReadonlyArray<Awaited<ReturnType<typeof readMemoBlocks>>>;
/** The transfers to a payee by bare memo, in one list for each answer of a node. */
type Noted = Map<string, Hint[][]>;
type History = {
  noted: Noted;
  reading: Promise<void> | null;
  /** True if the reading waits for its place among known payees, not among those without any found transfer. */
  isReadAsKnown: boolean;
  /** Chain time that two nodes had reached at the last reading, in ms since 1970; null before the first one. */
  readUntilMs: number | null;
  /** Monotonic time. */
  askedAtMs: number;
  failure: unknown;
};

/**
 * Creates the histories of payees, each of which callers read together, for all of its memos. `isKnown` tells payees
 * whose transfers were found from those that anyone may have made up.
 */
export function createPayeeHistories(options: {
  client: HiveClient;
  pollMs: number;
  isKnown: (payTo: string) => boolean;
}): PayeeHistories {
  const { client, pollMs, isKnown } = options;
  const histories = new Map<string, History>();
  const turns = createTurns({ places: READ_AT_ONCE, mostWaiting: MOST_WAITING });
  const share = createSharedTurns<{ views: Views; reachedTimeMs: number }>(turns);
  let strangersAtMs: number[] = [];

  const keyOf = ({ payTo, depthMs }: Pick<WantedBlocks, "payTo" | "depthMs">) => `${payTo} ${depthMs}`;

  const historyOf = (wanted: WantedBlocks): History => {
    const key = keyOf(wanted);
    const history = histories.get(key) ?? {
      ...{ noted: new Map(), reading: null, isReadAsKnown: false, readUntilMs: null },
      ...{ askedAtMs: Number.NEGATIVE_INFINITY, failure: null },
    };
    histories.delete(key);
    histories.set(key, history);
    forgetStrangers();
    return history;
  };

  /** Keeps the histories of known payees, as far as there are others to drop. */
  const forgetStrangers = () => {
    if (histories.size <= MAX_HISTORIES) return;
    for (const key of histories.keys())
      if (!isKnown(key.split(" ", 1)[0] as string)) return void histories.delete(key);
    forgetOldest(histories, MAX_HISTORIES);
  };

  /** Returns whether one more history of a payee without found transfers may be read in this minute. */
  const takeStranger = (): boolean => {
    const nowMs = performance.now();
    strangersAtMs = strangersAtMs.filter((ms) => nowMs - ms < MINUTE_MS);
    if (strangersAtMs.length >= STRANGERS_A_MINUTE) return false;
    strangersAtMs.push(nowMs);
    return true;
  };

  /** Reads a history at two nodes, and again from where an earlier reading may have missed something. */
  const read = async (asked: WantedBlocks, history: History): Promise<void> => {
    const { payTo, depthMs, beganAtMs, reachedTimeMs } = asked;
    // A node may have been behind by any time when following began, so the overlap grows until it has caught up.
    const lagMs = Math.max(LAG_MS, 2 * (reachedTimeMs - beganAtMs));
    const wanted = {
      sinceMs: Math.max(reachedTimeMs - depthMs, (history.readUntilMs ?? 0) - lagMs),
      maxTransfers: MAX_TRANSFERS,
      isWanted: ({ to, memo }: { to: string; memo: string }) => to === payTo && holdsTicketMemo(memo),
    };
    const person = history.isReadAsKnown ? payTo : "";
    const { signal, end } = startDeadline(READING_MS);
    const look = async () => ({
      views: await client.agree((node) => readMemoBlocks(node, payTo, wanted), {
        isSame: () => true,
        signal,
      }),
      reachedTimeMs,
    });
    try {
      const found = await share(keyOf(asked), { person }, look, signal);
      note(history.noted, found.views);
      history.readUntilMs = Math.max(found.reachedTimeMs, history.readUntilMs ?? 0);
    } finally {
      end();
    }
  };

  /**
   * Reads the history at most once at a time, for all who wait for it. Once its payee is known, it no longer waits
   * behind those of strangers.
   */
  const readTogether = (wanted: WantedBlocks, history: History): Promise<void> => {
    const isKnownNow = isKnown(wanted.payTo);
    if (history.reading !== null && (history.isReadAsKnown || !isKnownNow)) return history.reading;
    history.askedAtMs = performance.now();
    history.failure = null;
    history.isReadAsKnown = isKnownNow;
    const reading = read(wanted, history)
      .catch((error: unknown) => {
        if (history.reading === reading) history.failure = error;
        throw error;
      })
      .finally(() => {
        if (history.reading === reading) history.reading = null;
      });
    history.reading = reading;
    return reading;
  };

  return {
    async blocksOf(wanted) {
      const { memo, payTo, amount, beganAtMs, reachedTimeMs, isSeen } = wanted;
      const history = historyOf(wanted);
      const { readUntilMs, failure, reading, askedAtMs } = history;
      const pausedMs = performance.now() - askedAtMs;
      const mayRead = () => isKnown(payTo) || takeStranger();
      if (readUntilMs === null || readUntilMs < beganAtMs) {
        if (failure && !reading && pausedMs < FAILED_PAUSE_MS) throw failure;
        if (!reading && !mayRead()) throw new CodedError("overloaded");
        await readTogether(wanted, history);
      } else if (!isSeen && !history.noted.has(memo)) {
        // The longer nothing is seen, the less likely are nodes that are still behind.
        const isDue = reachedTimeMs - readUntilMs >= (readUntilMs - beganAtMs) / 10;
        if (reading || (isDue && pausedMs >= pollMs * POLLS_OF_HISTORY && mayRead()))
          await readTogether(wanted, history);
      }
      const lists = history.noted.get(memo) ?? [];
      const exact = lists.map((list) => list.filter((hint) => hint.isBare && hint.amount === amount));
      return [...new Set([...inTurn(exact), ...inTurn(lists)].map(({ blockNum }) => blockNum))];
    },
    dismiss(wanted, blockNum) {
      const noted = histories.get(keyOf(wanted))?.noted;
      const lists = noted?.get(wanted.memo) ?? [];
      const rest = lists.map((list) => list.filter((hint) => hint.blockNum !== blockNum));
      if (rest.some(({ length }) => length > 0)) noted?.set(wanted.memo, rest);
      else noted?.delete(wanted.memo);
    },
  };
}

/** Adds what the nodes name and no earlier answer did. The most transfers of a history limit how much that is. */
function note(noted: Noted, views: Views): void {
  const named = views.map((view) => {
    const hints = new Map<string, Hint[]>();
    for (const [sent, blockNum, amount] of view) {
      const memo = bareMemoOf(sent);
      const list = hints.get(memo) ?? [];
      list.push({ blockNum, amount, isBare: sent === memo });
      hints.set(memo, list);
    }
    return hints;
  });
  for (const memo of new Set(named.flatMap((hints) => [...hints.keys()]))) {
    const lists = noted.get(memo) ?? [];
    const present = new Set(lists.flat().map(textOf));
    const added = named.map((hints) => (hints.get(memo) ?? []).filter((hint) => !present.has(textOf(hint))));
    noted.set(memo, [...lists, ...added.filter(({ length }) => length > 0)]);
  }
}

const textOf = ({ blockNum, amount, isBare }: Hint) => `${blockNum} ${amount} ${isBare}`;

/** Returns the hints of all lists in turn, so that no node's hints crowd out another one's. */
function inTurn(lists: readonly Hint[][]): Hint[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) =>
    lists.flatMap((list) => list.slice(place, place + 1)),
  ).flat();
}
