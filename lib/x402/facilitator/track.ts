import { hasCode } from "../../errors.ts";
import type { AgreeOptions } from "../../hive/agree-among.ts";
import { ChainError, isDuplicateTransaction, NodeFault } from "../../hive/chain-node.ts";
import type { ChainReader } from "../../hive/chain-reader.ts";
import { readChainState } from "../../hive/chain-state.ts";
import type { HiveClient } from "../../hive/client.ts";
import {
  findTransaction,
  isSamePlace,
  mergeStatus,
  type TransactionStatus,
} from "../../hive/transaction-status.ts";
import type { Mils } from "../../mils.ts";
import { type BlockWatch, createBlockFollower } from "./block-follower.ts";
import type { ChainClock } from "./chain-clock.ts";
import { startDeadline } from "./deadline.ts";
import type { PaymentRecord } from "./payment-record.ts";

/**
 * Chain time after a transaction's expiration in which a fork can still return the transaction to a block.
 */
const BURIED_MS = 60_000;
/** Nodes can be a block or two apart, so a younger block missing at one of them proves nothing. */
const TELLING_DEPTH = 3;
/**
 * The pause before a payment is sent again, because the node that accepted it may have crashed or never
 * forwarded it.
 */
const RESEND_AFTER_MS = 2000;
/** A block takes three seconds. If none comes for longer, the blocks that were read may be incomplete. */
const BLOCKLESS_MS = 2000;
/** Limits how long a payment waits for an answer that matters only in a store's first minutes. */
const STANDS_WITHIN_MS = 5000;
/** Maximum age of the head; another node may be two blocks ahead. */
const HEAD_AGE_MS = 3000;
const MAX_BLOCKS_AHEAD = 2;

export type Outcome =
  | { kind: "included"; txId: string; blockNum: number; isReversible: boolean }
  | { kind: "failed"; failure: NonNullable<PaymentRecord["failure"]> }
  /** The chain has not decided, or does not answer. */
  | { kind: "open"; isTaken: boolean };

/** The place of a payment that is in no block. */
export const nowhere = { blockNum: undefined, blockTxId: undefined, isReversible: undefined };

/** Returns the payment's place on the chain: `nowhere` if it is in no block. */
export function placeOf(outcome: Outcome): Pick<PaymentRecord, "blockNum" | "blockTxId" | "isReversible"> {
  if (outcome.kind !== "included") return nowhere;
  const { blockNum, txId, isReversible } = outcome;
  return { blockNum, blockTxId: txId, isReversible };
}

/** Determines the outcome of a payment from the chain, and sends it if the chain does not know it. */
export type Tracker = {
  /** Broadcasts the payment and waits for its block. */
  settle(
    record: PaymentRecord,
    options: {
      /**
       * `retry`: two nodes refused it earlier. A refusal by two nodes is a failure, except for a `repeat`,
       * which another node may have received.
       */
      attempt: "first" | "retry" | "repeat";
      /** Called once a node has accepted the payment. */
      onTaken: () => Promise<void>;
    },
  ): Promise<Outcome>;
  /** Asks the chain once, and sends nothing. */
  findStatus(record: PaymentRecord): Promise<Outcome>;
  /** Returns the payment's place as of `block` or later: in no block, in one, or not yet known. */
  standsAsOf(block: number, record: PaymentRecord): Promise<"nowhere" | "in a block" | "untold">;
  /** Returns whether the chain's time has reached `timeMs`; false if the chain does not answer. */
  isPast(timeMs: number): Promise<boolean>;
  /**
   * Asks the chain once; sends the payment again if it is unknown and has not expired. Every `turn` begins at another
   * node.
   */
  findOrRebroadcast(record: PaymentRecord, turn: number): Promise<Outcome>;
  /**
   * Like `findOrRebroadcast`, for a payment that was in block `blockNum`; open and not taken if the chain
   * does not answer.
   */
  recheckBlock(record: PaymentRecord, blockNum: number): Promise<Outcome>;
};

/** Options of a chain read: the first node, and the deadline. */
type Asking = { turn: number; signal?: AbortSignal | undefined };

/**
 * Creates a tracker that waits up to `waitMs` for a block. All payments that wait share one reading of new blocks every
 * `pollMs`. `onResend` is called with each payment sent again, and `isOneEnough` selects the payments that proceed on
 * one node's answer if no second one answers.
 */
export function createTracker(options: {
  client: HiveClient;
  clock: ChainClock;
  isOneEnough: (amountMils: Mils) => boolean;
  waitMs: number;
  pollMs: number;
  onResend: (record: PaymentRecord) => void;
}): Tracker {
  const { client, clock, waitMs, pollMs } = options;
  const follower = createBlockFollower({ client, clock, pollMs });

  /**
   * Returns whether a block can contain the payment: it must exist and be younger than the block that the
   * payment refers to.
   */
  const isPossible = async ({ refBlock = 0 }: PaymentRecord, blockNum: number): Promise<boolean> => {
    if (blockNum <= refBlock) return false;
    const isReached = async (maxAgeMs: number) =>
      blockNum <= (await clock(maxAgeMs)).headBlock + MAX_BLOCKS_AHEAD;
    return (await isReached(HEAD_AGE_MS)) || isReached(0);
  };

  const findAt =
    (record: PaymentRecord, id: string, isFinalAsked: boolean) =>
    async (node: ChainReader): Promise<TransactionStatus> => {
      const wanted = { id, expirationMs: record.expirationMs };
      const status = await findTransaction(node, wanted);
      if (status.kind !== "included") return status;
      if (!(await isPossible(record, status.blockNum)))
        throw new NodeFault("an impossible block", { mayHaveArrived: true });
      if (!isFinalAsked || status.isIrreversible) return status;
      const { irreversibleBlock } = await readChainState(node);
      if (irreversibleBlock < status.blockNum) return status;
      // Meanwhile a fork may have put another block at this height, which became irreversible.
      if (!isSamePlace(status, await findTransaction(node, wanted)))
        throw new NodeFault("a fork meanwhile", { mayHaveArrived: true });
      return { ...status, isIrreversible: true };
    };

  /** Returns the place on which two nodes agree; rejects while they differ. */
  const find = async (
    record: PaymentRecord,
    id: string,
    { isFinalAsked = false, ...given }: AgreeOptions<TransactionStatus> & { isFinalAsked?: boolean },
  ) => mergeStatus(await client.agree(findAt(record, id, isFinalAsked), { isSame: isSamePlace, ...given }));

  /** The alternate id on the chain means the same payment, because both ids are claimed together. */
  const findStatus = async (
    record: PaymentRecord,
    given: AgreeOptions<TransactionStatus> & { isFinalAsked?: boolean },
  ): Promise<Outcome | "unknown"> => {
    const isOneEnough = options.isOneEnough(record.amountMils);
    const isFinalNeeded = record.finality === "irreversible";
    for (const id of [record.txId, record.alternateId]) {
      const status = await find(record, id, { isOneEnough, isFinalAsked: isFinalNeeded, ...given });
      if (status.kind === "mempool") return { kind: "open", isTaken: true };
      if (status.kind !== "included") continue;
      const isReversible = !status.isIrreversible;
      if (isFinalNeeded && isReversible) return { kind: "open", isTaken: true };
      return { kind: "included", txId: id, blockNum: status.blockNum, isReversible };
    }
    return "unknown";
  };

  /**
   * Looks for the payment on the chain. One node's answer that it is in no block yet is enough to keep
   * waiting.
   */
  const glance = (record: PaymentRecord, asking: Asking) =>
    findStatus(record, { ...asking, needsSecond: ({ kind }) => kind === "included" });

  /**
   * Returns whether a payment has failed: two nodes cannot find it after its end. A single node's answer is
   * not enough.
   */
  const isGone = async (record: PaymentRecord): Promise<boolean> => {
    const { reachedTimeMs } = await clock(0);
    if (reachedTimeMs <= record.expirationMs) return false;
    for (const id of [record.txId, record.alternateId]) {
      const { kind } = await find(record, id, {});
      const isBuried = kind === "unknown" && reachedTimeMs > record.expirationMs + BURIED_MS;
      if (kind !== "gone" && !isBuried) return false;
    }
    return true;
  };

  /**
   * Looks for a payment that a node already has: an earlier sender may have got it into a block that this
   * process has not read.
   */
  const findTaken = async (record: PaymentRecord, asking: Asking): Promise<Outcome> => {
    const found = await glance(record, asking).catch(stayOpen);
    return found !== "unknown" && found.kind === "included" ? found : { kind: "open", isTaken: true };
  };

  /**
   * Sends a payment to the chain. Any node could refuse a valid payment, so another node, if there is one,
   * must refuse it too. A repeat does not fail even then, because a node that received it earlier may have
   * it.
   */
  const send = async (
    record: PaymentRecord,
    { turn, signal, isRepeat }: Asking & { isRepeat: boolean },
  ): Promise<Outcome> => {
    const needed = Math.min(2, client.health().length);
    const refusers: string[] = [];
    while (refusers.length < needed) {
      try {
        await client.broadcast(record.transaction, { turn, signal, except: refusers });
        return { kind: "open", isTaken: true };
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        if (isDuplicateTransaction(error)) return findTaken(record, { turn, signal });
        refusers.push(error.host);
      }
      const known = await glance(record, { turn: turn + refusers.length, signal });
      if (known !== "unknown") return known;
    }
    return isRepeat ? { kind: "open", isTaken: false } : { kind: "failed", failure: "broadcast_rejected" };
  };

  /** Handles a payment that the chain does not know: sends it again unless it has expired. */
  const pursue = async (record: PaymentRecord, asking: Asking & { isRepeat?: boolean }): Promise<Outcome> => {
    if (await isGone(record)) return { kind: "failed", failure: "transaction_expired" };
    if ((await clock(0)).reachedTimeMs >= record.expirationMs) return { kind: "open", isTaken: false };
    options.onResend(record);
    return send(record, { isRepeat: true, ...asking });
  };

  const findOrRebroadcast = async (
    record: PaymentRecord,
    asking: Asking & { isRepeat?: boolean },
  ): Promise<Outcome> => {
    const found = await glance(record, asking);
    return found === "unknown" ? pursue(record, asking) : found;
  };

  const waitForBlock = async (
    record: PaymentRecord,
    sent: Outcome & { kind: "open" },
    { watch, deadlineMs, signal }: { watch: BlockWatch; deadlineMs: number; signal: AbortSignal },
  ): Promise<Outcome> => {
    let lostAtMs = performance.now() + RESEND_AFTER_MS;
    let outcome: Outcome = sent;
    // Reads and attempts are counted separately; otherwise all attempts could reach the same node.
    let tries = 0;
    for (let turn = 0; outcome.kind === "open"; turn++) {
      const giveUpAtMs = lostAtMs + (outcome.isTaken ? BLOCKLESS_MS : 0);
      const { isSeen } = await watch.next({ lostAtMs, giveUpAtMs, signal });
      if (signal.aborted || performance.now() >= deadlineMs) break;
      let asked: Promise<Outcome | "unknown">;
      if (performance.now() >= lostAtMs) {
        lostAtMs = performance.now() + RESEND_AFTER_MS;
        asked = findOrRebroadcast(record, { turn: ++tries, signal });
      } else asked = isSeen ? findStatus(record, { turn, signal }) : glance(record, { turn, signal });
      const found = await asked.catch(stayOpen);
      if (found !== "unknown") outcome = found;
    }
    return outcome;
  };

  return {
    async findStatus(record) {
      const found = await findStatus(record, {}).catch(stayOpen);
      return found === "unknown" ? { kind: "open", isTaken: false } : found;
    },
    async standsAsOf(block, record) {
      const readPlace = async (node: ChainReader) => {
        // The head is read first, because a block with the payment can arrive between the two answers.
        const { headBlock } = await readChainState(node);
        const found = await Promise.all(
          [record.txId, record.alternateId].map((id) =>
            findTransaction(node, { id, expirationMs: record.expirationMs }),
          ),
        );
        if (found.some(({ kind }) => kind === "included")) return "in a block";
        return headBlock >= block ? "nowhere" : "untold";
      };
      const { signal, end } = startDeadline(STANDS_WITHIN_MS);
      try {
        const isOneEnough = options.isOneEnough(record.amountMils);
        return (await client.agree(readPlace, { isOneEnough, signal }))[0];
      } catch (error) {
        stayOpen(error);
        return "untold";
      } finally {
        end();
      }
    },
    async isPast(timeMs) {
      const { reachedTimeMs } = await clock(HEAD_AGE_MS).catch(() => ({ reachedTimeMs: 0 }));
      return reachedTimeMs >= timeMs;
    },
    findOrRebroadcast: (record, turn) => findOrRebroadcast(record, { turn }).catch(stayOpen),
    async recheckBlock(record, blockNum) {
      try {
        const { headBlock } = await clock(0);
        if (headBlock < blockNum + TELLING_DEPTH)
          return { kind: "included", txId: record.blockTxId ?? record.txId, blockNum, isReversible: true };
        const found = await findStatus(record, { isFinalAsked: true });
        const outcome = found === "unknown" ? await pursue(record, { turn: 0 }) : found;
        // The payment is in no block, whatever the result of sending it again.
        return outcome.kind === "open" ? { kind: "open", isTaken: true } : outcome;
      } catch (error) {
        return stayOpen(error);
      }
    },
    async settle(record, { attempt, onTaken }) {
      const deadlineMs = performance.now() + waitMs;
      const { signal, end } = startDeadline(waitMs);
      const ids = [record.txId, record.alternateId];
      const isFinalNeeded = record.finality === "irreversible";
      const watch = follower.watch({ ids, isFinalNeeded, deadlineMs });
      try {
        const asking = { turn: 0, signal, isRepeat: attempt === "repeat" };
        const sent = attempt === "first" ? send(record, asking) : findOrRebroadcast(record, asking);
        const outcome = await sent.catch(stayOpen);
        if (outcome.kind !== "open") return outcome;
        if (outcome.isTaken) await onTaken();
        return await waitForBlock(record, outcome, { watch, deadlineMs, signal });
      } finally {
        watch.end();
        end();
      }
    },
  };
}

/**
 * Leaves a payment open after an error of the chain, which decides nothing; other errors are bugs and are
 * rethrown.
 */
function stayOpen(error: unknown): Outcome {
  if (error instanceof ChainError || hasCode(error, "chain_unavailable"))
    return { kind: "open", isTaken: false };
  throw error;
}
