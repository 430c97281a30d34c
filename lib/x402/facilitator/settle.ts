import { createHash, randomUUID } from "node:crypto";
import { CodedError } from "../../errors.ts";
import { refusedSettlement, type Settlement, settlementAnswer } from "./answers.ts";
import type { CheckOnChain } from "./check-on-chain.ts";
import type { Entry, Ledger, PaymentRecord } from "./ledger.ts";
import type { Payment, Refusal } from "./read-request.ts";
import type { Outcome, Tracker } from "./track.ts";

export type SettleOptions = {
  /** Who repeats a request with this key gets the answer that was given to it. */
  idempotencyKey?: string;
  /** Aborted when the caller went away: a success that nobody hears of stays there for the next caller. */
  signal?: AbortSignal;
};

export type Settler = {
  settle(payment: Payment, options: SettleOptions): Promise<Settlement>;
  /** Brings every open payment as far as the chain has. */
  recover(): Promise<void>;
};

export type SettlementEvent = {
  kind: "settled" | "failed" | "pending" | "recovered";
  txId: string;
  payer: string;
  amountMillis: number;
};

/** Makes the one place where payments are claimed, sent and answered; see the ledger for what makes it safe. */
export function createSettler(options: {
  ledger: Ledger;
  tracker: Tracker;
  check: CheckOnChain;
  onEvent: (event: SettlementEvent) => void;
}): Settler {
  const { ledger, tracker, check } = options;
  /** What this process works on just now; other callers need not do the same work. */
  const active = new Map<string, Promise<unknown>>();

  const tell = (kind: SettlementEvent["kind"], { txId, payer, amountMillis }: PaymentRecord) =>
    options.onEvent({ kind, txId, payer, amountMillis });

  const reread = async ({ record }: Entry): Promise<Entry> => {
    const entry = await ledger.find({ legacy: record.txId, hf26: record.twinId });
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
    } finally {
      active.delete(txId);
    }
  };

  /** The answer for a caller from what the ledger says; takes the success when it is still there to be had. */
  const answer = async (entry: Entry, caller: Caller): Promise<Settlement> => {
    const { record } = entry;
    if (record.state === "failed") return settlementAnswer(record, record.failure ?? "broadcast_rejected");
    if (record.state !== "settled") {
      tell("pending", record);
      return settlementAnswer(record, "settlement_pending");
    }
    if (record.answeredTo === null && !caller.isGone()) {
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
    const outcome = await tracker.ask(entry.record);
    if (outcome.kind === "included") return answer(await close(entry, outcome, caller.mark), caller);
    if (outcome.kind === "failed") return answer(entry, caller);
    const checked = await check(payment);
    if ("reason" in checked) return refusedSettlement(checked, payment.network);
    const again = await ledger.change(entry, { state: "reserved", failure: undefined });
    return again ? drive(again, false, caller) : resume(await reread(entry), payment, caller);
  };

  return {
    async settle(payment, given) {
      const caller = callerOf(given);
      if (caller.isKeyed && !(await ledger.bindKey(caller.mark, subjectOf(payment))))
        throw new CodedError("conflict", { message: "This Idempotency-Key was used for another payment." });
      const known = await ledger.find(payment.transfer.ids);
      if (known) return resume(known, payment, caller);
      const checked = await check(payment);
      if ("reason" in checked) return refusedSettlement(checked, payment.network);
      const reserved = await ledger.reserve(toRecord(payment, checked));
      if (reserved) return drive(reserved, true, caller);
      const winner = await ledger.find(payment.transfer.ids);
      if (!winner) throw new CodedError("overloaded");
      return resume(winner, payment, caller);
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

function callerOf({ idempotencyKey, signal }: SettleOptions): Caller {
  const isGone = () => signal?.aborted === true;
  return idempotencyKey === undefined
    ? { mark: randomUUID(), isKeyed: false, isGone }
    : { mark: sha256(idempotencyKey), isKeyed: true, isGone };
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** The same payment on the same terms: `readPayment` has compared both, so the transaction names them. */
const subjectOf = ({ transfer }: Payment) => transfer.ids.legacy;

function toRecord(
  { transfer, network }: Payment,
  identity: Exclude<Awaited<ReturnType<CheckOnChain>>, Refusal>,
) {
  const record: PaymentRecord = {
    state: "reserved",
    ...identity,
    payer: transfer.from,
    network,
    expirationMs: transfer.expirationMs,
    amountMillis: transfer.amountMillis,
    transaction: transfer.transaction,
    answeredTo: null,
  };
  return record;
}
