import { createHash, randomUUID } from "node:crypto";
import { CodedError } from "../../errors.ts";
import { refusedSettlement, type Settlement, settlementAnswer } from "./answers.ts";
import type { CheckOnChain, Identity } from "./check-on-chain.ts";
import type { Entry, Ledger, PaymentRecord } from "./ledger.ts";
import type { Finality, Payment } from "./read-request.ts";
import type { Outcome, Tracker } from "./track.ts";

export type SettleOptions = {
  /** Who repeats a request with this key gets the answer that was given to it. */
  idempotencyKey?: string;
  /** Aborted when the caller went away: a success that nobody hears of stays there for the next caller. */
  signal?: AbortSignal;
};

export type Settler = {
  settle(payment: Payment, options: SettleOptions): Promise<Settlement>;
  /** Whether somebody has got the one success of this payment. */
  isGiven(record: PaymentRecord): boolean;
  /** Brings every open payment as far as the chain has. */
  recover(): Promise<void>;
};

export type SettlementEvent = {
  kind: "settled" | "failed" | "pending" | "recovered";
  txId: string;
  payer: string;
  amountMillis: number;
};

const MAX_MARKS = 10_000;

/** Makes the one place where payments are claimed, sent and answered; see the ledger for what makes it safe. */
export function createSettler(options: {
  ledger: Ledger;
  tracker: Tracker;
  check: CheckOnChain;
  finality: Finality;
  onEvent: (event: SettlementEvent) => void;
}): Settler {
  const { ledger, tracker, check } = options;
  /** What this process works on just now; other callers need not do the same work. */
  const active = new Map<string, Promise<unknown>>();
  /**
   * Marks of callers that were told of a failing store. A write that failed here may still have been done there:
   * what it gave to such a mark, nobody has got.
   */
  const disappointed = new Set<string>();

  const tell = (kind: SettlementEvent["kind"], { txId, payer, amountMillis }: PaymentRecord) =>
    options.onEvent({ kind, txId, payer, amountMillis });

  const reread = async ({ record }: Entry): Promise<Entry> => {
    const entry = await ledger.find(record.txId);
    if (!entry) throw new CodedError("internal", { message: "A claimed payment has left the store." });
    return entry;
  };

  /** Writes the chain's word into the ledger, whoever else may be doing the same. */
  const close = async (entry: Entry, outcome: Outcome, answeredTo: string | null): Promise<Entry> => {
    if (outcome.kind === "open") return entry;
    const { state } = entry.record;
    // A block outweighs a refusal that somebody else was given.
    const isDecided = state === "settled" || (state === "failed" && outcome.kind === "failed");
    if (isDecided) return entry;
    const changes: Partial<PaymentRecord> =
      outcome.kind === "included"
        ? { state: "settled", blockNum: outcome.blockNum, blockTxId: outcome.txId, answeredTo }
        : { state: "failed", failure: outcome.failure };
    const closed = await ledger.change(entry, changes);
    if (!closed) return close(await reread(entry), outcome, answeredTo);
    tell(outcome.kind === "included" ? "settled" : "failed", closed.record);
    return closed;
  };

  /** Sends and waits, alone in this process. */
  const drive = async (entry: Entry, isFirst: boolean, caller: Caller): Promise<Settlement> => {
    const { txId } = entry.record;
    let current = entry;
    const work = (async () => {
      const outcome = await tracker.settle(entry.record, {
        isFirst,
        async onTaken() {
          if (current.record.state !== "reserved") return;
          current = (await ledger.change(current, { state: "broadcast" }).catch(() => null)) ?? current;
        },
      });
      return close(current, outcome, caller.isGone() ? null : caller.mark);
    })();
    active.set(txId, work);
    try {
      return await answer(await work, caller);
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== "overloaded") throw error;
      // The store went away under a claimed payment: its outcome is known to the chain, and not yet to us.
      if (!caller.isKeyed) remember(disappointed, caller.mark);
      return pending(entry.record);
    } finally {
      active.delete(txId);
    }
  };

  const pending = (record: PaymentRecord) => {
    tell("pending", record);
    return settlementAnswer(record, "settlement_pending");
  };

  const isGiven = ({ state, answeredTo }: PaymentRecord) =>
    state === "settled" && answeredTo !== null && !disappointed.has(answeredTo);

  /** The answer for a caller from what the ledger says; takes the success when it is still there to be had. */
  const answer = async (entry: Entry, caller: Caller): Promise<Settlement> => {
    const { record } = entry;
    if (record.state === "failed") return settlementAnswer(record, record.failure ?? "broadcast_rejected");
    if (record.state !== "settled") return pending(record);
    if (!isGiven(record) && !caller.isGone()) {
      const taken = await ledger.change(entry, { answeredTo: caller.mark });
      return taken ? settlementAnswer(taken.record) : answer(await reread(entry), caller);
    }
    return record.answeredTo === caller.mark
      ? settlementAnswer(record)
      : settlementAnswer(record, "payment_replayed");
  };

  /** A repeat: the chain is asked what became of the first. */
  const resume = async (entry: Entry, payment: Payment, caller: Caller): Promise<Settlement> => {
    const { record } = entry;
    if (record.state === "settled") return answer(entry, caller);
    const working = active.get(record.txId);
    if (working !== undefined) {
      // A caller that repeats itself waits for its answer, another one need not.
      if (!caller.isKeyed) return answer(entry, caller);
      await working;
      return answer(await reread(entry), caller);
    }
    if (record.state === "failed") return retryFailed(entry, payment, caller);
    return drive(entry, false, caller);
  };

  /** A refused payment may have been broadcast by somebody since, or its cause may have gone. */
  const retryFailed = async (entry: Entry, payment: Payment, caller: Caller): Promise<Settlement> => {
    const found = await tracker.look(entry.record);
    if (found.kind === "included") return answer(await close(entry, found, caller.mark), caller);
    if (entry.record.failure === "transaction_expired") return answer(entry, caller);
    const isTaken = found.kind === "open" && found.isTaken;
    const checked = isTaken ? null : await check(payment);
    if (checked && "reason" in checked) return refusedSettlement(checked, payment.network);
    const again = await ledger.change(entry, {
      state: isTaken ? "broadcast" : "reserved",
      failure: undefined,
    });
    return again ? drive(again, !isTaken, caller) : resume(await reread(entry), payment, caller);
  };

  const settle = async (payment: Payment, caller: Caller): Promise<Settlement> => {
    if (caller.isKeyed && !(await ledger.bindKey(caller.mark, subjectOf(payment))))
      throw new CodedError("conflict", { message: "This Idempotency-Key was used for another payment." });
    const known = await ledger.find(payment.transfer.ids.legacy);
    if (known) return resume(known, payment, caller);
    const checked = await check(payment);
    if ("reason" in checked) return refusedSettlement(checked, payment.network);
    const reserved = await ledger.reserve(toRecord(payment, checked, options.finality));
    if (reserved) return drive(reserved, true, caller);
    const winner = await ledger.find(payment.transfer.ids.legacy);
    if (!winner) throw new CodedError("overloaded");
    return resume(winner, payment, caller);
  };

  return {
    isGiven,
    async settle(payment, given) {
      const caller = callerOf(given);
      try {
        return await settle(payment, caller);
      } catch (error) {
        if (!caller.isKeyed) remember(disappointed, caller.mark);
        throw error;
      }
    },

    async recover() {
      for (const entry of await ledger.listOpen()) {
        const { record } = entry;
        if (record.state === "settled" || record.state === "failed") await ledger.unmark(entry);
        else if (!active.has(record.txId)) {
          const closed = await close(entry, await tracker.ask(record), null);
          if (closed !== entry) tell("recovered", closed.record);
        }
      }
    },
  };
}

/** `mark` is the same for all requests with one key, and never the same for two without. */
type Caller = { mark: string; isKeyed: boolean; isGone: () => boolean };

function remember(marks: Set<string>, mark: string): void {
  const [oldest] = marks;
  if (marks.size >= MAX_MARKS && oldest !== undefined) marks.delete(oldest);
  marks.add(mark);
}

function callerOf({ idempotencyKey, signal }: SettleOptions): Caller {
  const isGone = () => signal?.aborted === true;
  return idempotencyKey === undefined
    ? { mark: randomUUID(), isKeyed: false, isGone }
    : { mark: sha256(idempotencyKey), isKeyed: true, isGone };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** The same payment on the same terms: `readPayment` has compared both, so the transaction names them. */
const subjectOf = ({ transfer }: Payment) => transfer.ids.legacy;

function toRecord({ transfer, network, finality }: Payment, identity: Identity, least: Finality) {
  const record: PaymentRecord = {
    state: "reserved",
    ...identity,
    payer: transfer.from,
    network,
    expirationMs: transfer.expirationMs,
    amountMillis: transfer.amountMillis,
    finality: finality === "irreversible" ? finality : least,
    transaction: transfer.transaction,
    answeredTo: null,
  };
  return record;
}
