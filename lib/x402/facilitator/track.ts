import { setTimeout as wait } from "node:timers/promises";
import { CodedError } from "../../errors.ts";
import { ChainError, isDuplicateTransaction } from "../../hive/chain-error.ts";
import type { HiveClient } from "../../hive/client.ts";
import {
  findTransaction,
  findTransactionByTwo,
  type TransactionStatus,
} from "../../hive/transaction-status.ts";
import type { ChainClock } from "./chain-clock.ts";
import type { PaymentRecord } from "./payment-record.ts";

/** After this much chain time past the expiration no fork can bring the transaction back into a block. */
const BURIED_MS = 60_000;
/** Nodes may be a block or two apart, so a younger block missing at one of them says nothing. */
const TELLING_DEPTH = 3;
/** A node that took it and died may have told nobody. */
const RESEND_AFTER_MS = 2000;

export type Outcome =
  | { kind: "included"; txId: string; blockNum: number; isReversible: boolean }
  | { kind: "failed"; failure: NonNullable<PaymentRecord["failure"]> }
  /** The chain has not decided, or can't be asked. */
  | { kind: "open"; isTaken: boolean };

/** The place of a payment that is in no block. */
export const nowhere = { blockNum: undefined, blockTxId: undefined, isReversible: undefined };

/** Where the chain has the payment; nowhere, when it is in no block. */
export function placeOf(outcome: Outcome): Pick<PaymentRecord, "blockNum" | "blockTxId" | "isReversible"> {
  if (outcome.kind !== "included") return nowhere;
  const { blockNum, txId, isReversible } = outcome;
  return { blockNum, blockTxId: txId, isReversible };
}

/** What happened to a payment, by the chain's word; sends it where the chain does not know it. */
export type Tracker = {
  /** Broadcasts the payment and waits for its block. */
  settle(
    record: PaymentRecord,
    options: {
      /** Whether nobody can have sent it before. */
      isFirst: boolean;
      /** Called once a node has taken it. */
      onTaken: () => Promise<void>;
    },
  ): Promise<Outcome>;
  /** Asks the chain once and sends nothing. */
  look(record: PaymentRecord): Promise<Outcome>;
  /** Asks the chain once; sends the payment again when it is unknown and still in time. */
  ask(record: PaymentRecord): Promise<Outcome>;
  /** As `ask`, for a payment that was in block `blockNum`; open and not taken while the chain can't tell yet. */
  revisit(record: PaymentRecord, blockNum: number): Promise<Outcome>;
};

/** Makes a tracker that waits at most `waitMs` for a block, asking every `pollMs`; `onResend` hears of what is sent again. */
export function createTracker(options: {
  client: HiveClient;
  clock: ChainClock;
  twoNodesFromMillis: number;
  waitMs: number;
  pollMs: number;
  onResend: (record: PaymentRecord) => void;
}): Tracker {
  const { client, clock, waitMs, pollMs } = options;

  const isEnough = async ({ finality }: PaymentRecord, status: TransactionStatus & { kind: "included" }) =>
    finality === "included" || status.isIrreversible || (await clock(0)).irreversibleBlock >= status.blockNum;

  /** A twin in the chain is the same payment: both ids are claimed together. */
  const look = async (record: PaymentRecord): Promise<Outcome | "unknown"> => {
    const isLarge = record.amountMillis >= options.twoNodesFromMillis;
    const find = isLarge ? findTransactionByTwo : findTransaction;
    for (const id of [record.txId, record.twinId]) {
      const status = await find(client, { id, expirationMs: record.expirationMs });
      if (status.kind === "mempool") return { kind: "open", isTaken: true };
      if (status.kind !== "included") continue;
      if (!(await isEnough(record, status))) return { kind: "open", isTaken: true };
      const isReversible = record.finality === "included" && !status.isIrreversible;
      return { kind: "included", txId: id, blockNum: status.blockNum, isReversible };
    }
    return "unknown";
  };

  /** Only when nobody can find it after its end did it fail; a single node's word is not enough for that. */
  const isGone = async (record: PaymentRecord): Promise<boolean> => {
    const { headTimeMs } = await clock(0);
    if (headTimeMs <= record.expirationMs) return false;
    for (const id of [record.txId, record.twinId]) {
      const view = await findTransactionByTwo(client, { id, expirationMs: record.expirationMs });
      const isBuried =
        view.kind === "unknown" && !view.isDisputed && headTimeMs > record.expirationMs + BURIED_MS;
      if (view.kind !== "gone" && !isBuried) return false;
    }
    return true;
  };

  /** A refusal is certain only for what was never sent before: else another node may have it. */
  const send = async (record: PaymentRecord, isFirst: boolean): Promise<Outcome> => {
    try {
      await client.broadcast(record.transaction);
      return { kind: "open", isTaken: true };
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      if (isDuplicateTransaction(error)) return { kind: "open", isTaken: true };
      const known = await look(record);
      if (known !== "unknown") return known;
      return isFirst ? { kind: "failed", failure: "broadcast_rejected" } : { kind: "open", isTaken: false };
    }
  };

  const ask = async (record: PaymentRecord): Promise<Outcome> => {
    const found = await look(record);
    if (found !== "unknown") return found;
    if (await isGone(record)) return { kind: "failed", failure: "transaction_expired" };
    if ((await clock(0)).headTimeMs >= record.expirationMs) return { kind: "open", isTaken: false };
    options.onResend(record);
    return send(record, false);
  };

  const waitForBlock = async (record: PaymentRecord, deadline: number): Promise<Outcome> => {
    let askAgainAt = Date.now() + RESEND_AFTER_MS;
    let outcome: Outcome = { kind: "open", isTaken: true };
    while (outcome.kind === "open" && Date.now() < deadline) {
      await wait(pollMs);
      const isLost = Date.now() > askAgainAt;
      if (isLost) askAgainAt = Date.now() + RESEND_AFTER_MS;
      const found = await (isLost ? ask(record) : look(record)).catch(stayOpen);
      if (found !== "unknown") outcome = found;
    }
    return outcome;
  };

  return {
    async look(record) {
      const found = await look(record).catch(stayOpen);
      return found === "unknown" ? { kind: "open", isTaken: false } : found;
    },
    ask: (record) => ask(record).catch(stayOpen),
    async revisit(record, blockNum) {
      try {
        const { headBlock, irreversibleBlock } = await clock(0);
        if (headBlock < blockNum + TELLING_DEPTH) return { kind: "open", isTaken: false };
        const outcome = await ask(record);
        if (outcome.kind !== "included") return outcome;
        return { ...outcome, isReversible: outcome.isReversible && irreversibleBlock < outcome.blockNum };
      } catch (error) {
        return stayOpen(error);
      }
    },
    async settle(record, { isFirst, onTaken }) {
      const deadline = Date.now() + waitMs;
      const outcome = await (isFirst ? send(record, true) : ask(record)).catch(stayOpen);
      if (outcome.kind !== "open") return outcome;
      if (outcome.isTaken) await onTaken();
      return waitForBlock(record, deadline);
    },
  };
}

/** An unreachable chain decides nothing; other faults are bugs and go on. */
function stayOpen(error: unknown): Outcome {
  if (error instanceof ChainError || (error instanceof CodedError && error.code === "chain_unavailable"))
    return { kind: "open", isTaken: false };
  throw error;
}
