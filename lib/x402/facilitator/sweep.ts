import { z } from "zod";
import { CodedError } from "../../errors.ts";
import type { HiveClient } from "../../hive/client.ts";
import { type MemoTransfer, readMemoBlocks, readTransferBlock } from "../../hive/memo-transfers.ts";
import { parseMils } from "../../mils.ts";
import type { Store } from "../../store/store.ts";
import { noteInBook } from "../return-book.ts";
import { bareMemoOf, holdsTicketMemo } from "../ticket-memo.ts";
import { isCounted, isRefunded, readUse, returnedUse, writeUse } from "../transfer-use.ts";
import type { ChainClock } from "./chain-clock.ts";
import { KEPT_SECONDS, LONGEST_LIFE_MS } from "./ticket-life.ts";

const DAY_MS = 24 * 3_600_000;
/** Shorter than any use of a transfer, and any claim, is stored. */
const MOST_MS = 20 * DAY_MS;
/** Enough for the transfers of a busy account in that time. */
const MAX_TRANSFERS = 100_000;
/** The most blocks of one round; the next one continues. */
const MAX_BLOCKS = 100;

/** The block up to which all transfers were looked through, and a time up to which no other ones are to be expected. */
const Cursor = z.object({ blockNum: z.number().int(), timeMs: z.number() });
type Cursor = z.infer<typeof Cursor>;

/** Looks through the transfers to an account, from where the last round ended. @throws CodedError */
export type Sweep = (payTo: string, signal: AbortSignal) => Promise<void>;

/**
 * Creates the sweep, which writes transfers into the books of their payee whose claims were never presented again, once
 * they can't be any more. Before that, each that could count is marked as returned, so that it never does.
 */
export function createSweep(options: {
  store: Pick<Store, "get" | "set" | "commit" | "setIfAbsent">;
  client: HiveClient;
  clock: ChainClock;
  /** The CAIP-2 name of the chain. */
  caip: string;
  /** The chain's name in books. */
  network: string;
}): Sweep {
  const { store, client, clock, caip, network } = options;
  const cursorKeyOf = (payTo: string) => `x402:swept:${caip}:${payTo}`;

  const readCursor = async (payTo: string): Promise<Cursor> => {
    try {
      return Cursor.parse(JSON.parse((await store.get(cursorKeyOf(payTo))) ?? '{"blockNum":0,"timeMs":0}'));
    } catch (cause) {
      throw new CodedError("degraded", { cause });
    }
  };

  const readBlock = async (blockNum: number, signal: AbortSignal) => {
    const [block] = await client.agree((node) => readTransferBlock(node, blockNum, holdsTicketMemo), {
      signal,
    });
    if (!block) throw new CodedError("chain_unavailable", { cause: new Error("a block is missing") });
    return block;
  };

  /** Writes a transfer into the book, unless it has counted, which one with whitespace around its memo never does. */
  const settleUp = async ({ txId, operation, blockNum, from: payer, to, memo, amount }: MemoTransfer) => {
    const book = { network, account: to };
    const transfer = { txId, operation, blockNum, payer, amount };
    if (memo !== bareMemoOf(memo)) {
      await noteInBook(store, book, { ...transfer, cause: "paid_other_memo" });
      return;
    }
    const place = { caip, payTo: to, memo };
    let use = await readUse(store, place);
    if (!use && !(await writeUse(store, place, returnedUse({ txId, operation, payer }), KEPT_SECONDS)))
      use = await readUse(store, place);
    const isSettled = isCounted(use) || isRefunded(use);
    if (isSettled && use?.txId === txId && use.operation === operation) return;
    const ofCoin = isCounted(use) ? "paid_twice" : "paid_too_late";
    const cause = parseMils(amount) === null ? "paid_other_coin" : ofCoin;
    await noteInBook(store, book, { ...transfer, cause });
  };

  return async (payTo, signal) => {
    const { reachedTimeMs, irreversibleBlock } = await clock(0);
    const untilMs = reachedTimeMs - LONGEST_LIFE_MS;
    const cursor = await readCursor(payTo);
    const sinceMs = Math.max(cursor.timeMs, untilMs - MOST_MS);
    const wanted = {
      ...{ sinceMs, maxTransfers: MAX_TRANSFERS },
      isWanted: ({ to, memo }: { to: string; memo: string }) => to === payTo && holdsTicketMemo(memo),
    };
    // What one of the nodes shows is only a hint, because the blocks are read too.
    const views = await client.agree((node) => readMemoBlocks(node, payTo, wanted), {
      ...{ isSame: () => true, signal },
    });
    const named = [...new Set(views.flat().map(([, blockNum]) => blockNum))].sort(
      (one, other) => one - other,
    );
    const places = named
      .filter((blockNum) => blockNum > cursor.blockNum && blockNum <= irreversibleBlock)
      .slice(0, MAX_BLOCKS);
    let swept = cursor;
    try {
      for (const blockNum of places) {
        const { timeMs, transfers } = await readBlock(blockNum, signal);
        if (timeMs > untilMs) break;
        if (timeMs >= sinceMs)
          for (const transfer of transfers)
            if (transfer.to === payTo && transfer.from !== payTo) await settleUp(transfer);
        swept = { blockNum, timeMs: Math.max(timeMs, swept.timeMs) };
      }
      if (places.length < MAX_BLOCKS) swept = { ...swept, timeMs: Math.max(untilMs, swept.timeMs) };
    } finally {
      // The next round continues at a block that could not be read. A process that dies before this looks through the
      // same blocks again, which changes nothing.
      await store.set(cursorKeyOf(payTo), JSON.stringify(swept));
    }
  };
}
