import { CodedError } from "../../errors.ts";
import type { CheckOnChain } from "./check-on-chain.ts";
import { refusedSettlement, type Settlement, settlementAnswer } from "./facilitator-error.ts";
import type { Entry, Ledger } from "./ledger.ts";
import type { TellEvent } from "./options.ts";
import {
  type Caller,
  callerOf,
  createMarks,
  newRecord,
  type PaymentRecord,
  type SettleOptions,
} from "./payment-record.ts";
import type { Finality, Payment } from "./read-request.ts";
import { nowhere, type Outcome, placeOf, type Tracker } from "./track.ts";

export type Settler = {
  settle(payment: Payment, options: SettleOptions): Promise<Settlement>;
  /** Whether somebody has got the one success of this payment. */
  isGiven(record: PaymentRecord): boolean;
  /** Brings every open payment as far as the chain has, or as far as it comes until `signal` aborts. */
  recover(signal: AbortSignal): Promise<void>;
};

const LANES = 20;
/** In the place of a caller: whoever got the success of a payment that is older than the store. */
const LOST = "before this store";

/** Makes the one place where payments are claimed, sent and answered; see the ledger for what makes it safe. */
export function createSettler(options: {
  ledger: Ledger;
  tracker: Tracker;
  check: CheckOnChain;
  finality: Finality;
  tell: TellEvent;
}): Settler {
  const { ledger, tracker, check, tell } = options;
  /** What this process works on just now; other callers need not do the same work. */
  const active = new Map<string, Promise<unknown>>();
  /**
   * Marks of callers that were told of a failing store. A write that failed here may still have been done there:
   * what it gave to such a mark, nobody has got.
   */
  const disappointed = createMarks();
  /** How often this process looked after its open payments; each time it begins at another node. */
  let rounds = 0;

  /** Writes the chain's word into the ledger, whoever else may be doing the same. */
  const close = async (entry: Entry, outcome: Outcome, answeredTo: string | null): Promise<Entry> => {
    if (outcome.kind === "open") return entry;
    const { state } = entry.record;
    // A block outweighs a refusal that somebody else was given.
    const isDecided = state === "settled" || (state === "failed" && outcome.kind === "failed");
    if (isDecided) return entry;
    const changes: Partial<PaymentRecord> =
      outcome.kind === "included"
        ? {
            state: "settled",
            ...placeOf(outcome),
            storeBlock: undefined,
            answeredTo: entry.record.answeredTo ?? (isOfLostStore(entry.record, outcome) ? LOST : answeredTo),
          }
        : { state: "failed", failure: outcome.failure };
    const closed = await ledger.change(entry, changes);
    if (!closed) return close(await ledger.reread(entry), outcome, answeredTo);
    tell(outcome.kind === "included" ? "settled" : "failed", closed.record);
    return closed;
  };

  /**
   * A payment about as old as the store that is in no block has not counted before, though a fork may yet put it into a
   * block from before the store. Until that is known it must not be sent: then null.
   */
  const acquit = async (entry: Entry): Promise<Entry | null> => {
    const { storeBlock = 0, refBlock = 0, state } = entry.record;
    if (refBlock >= storeBlock || (await tracker.isOver(entry.record))) return entry;
    const place = await tracker.standsAsOf(storeBlock, entry.record);
    if (place === "nowhere") return (await ledger.change(entry, { storeBlock: undefined })) ?? entry;
    return place === "untold" && state === "reserved" ? null : entry;
  };

  /** Sends and waits, alone in this process. */
  const drive = async (entry: Entry, isFirst: boolean, caller: Caller): Promise<Settlement> => {
    const { txId } = entry.record;
    let current = entry;
    const work = (async () => {
      const known = await acquit(entry);
      if (!known) return entry;
      current = known;
      const outcome = await tracker.settle(current.record, {
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
      if (!(error instanceof CodedError) || error.code !== "degraded") throw error;
      // The store went away under a claimed payment: its outcome is known to the chain, and not yet to us.
      if (!caller.isKeyed) disappointed.add(caller.mark);
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
    state !== "failed" && answeredTo !== null && !disappointed.has(answeredTo);

  /**
   * Asks the chain whether a settled payment still is in a block; one that a fork has undone is open again. Null while the
   * chain can't tell.
   */
  const revisit = async (entry: Entry): Promise<Entry | null> => {
    const { blockNum, blockTxId, isReversible } = entry.record;
    if (!isReversible || blockNum === undefined) return entry;
    const outcome = await tracker.revisit(entry.record, blockNum);
    if (outcome.kind === "open" && !outcome.isTaken) return null;
    const place = placeOf(outcome);
    const isSame = place.blockNum === blockNum && place.blockTxId === blockTxId && place.isReversible;
    if (isSame) return entry;
    const state = outcome.kind === "included" ? "settled" : "broadcast";
    const changed = await ledger.change(entry, { state, ...place });
    if (!changed) return ledger.reread(entry);
    if (outcome.kind === "included") return changed;
    tell("undone", changed.record);
    return close(changed, outcome, null);
  };

  /** The answer for a caller from what the ledger says; takes the success when it is still there to be had. */
  const answer = async (entry: Entry, caller: Caller): Promise<Settlement> => {
    const { record } = entry;
    if (record.state === "failed") return settlementAnswer(record, record.failure ?? "broadcast_rejected");
    if (record.state !== "settled") return pending(record);
    if (!isGiven(record) && !caller.isGone()) {
      const taken = await ledger.change(entry, { answeredTo: caller.mark });
      return taken ? settlementAnswer(taken.record) : answer(await ledger.reread(entry), caller);
    }
    return record.answeredTo === caller.mark
      ? settlementAnswer(record)
      : settlementAnswer(record, "payment_replayed");
  };

  const wantedOf = (payment: Payment): Finality =>
    payment.finality === "irreversible" ? payment.finality : options.finality;

  /** A caller may ask for more than the first one did: then that is what their success has to wait for. */
  const tighten = async (entry: Entry, payment: Payment): Promise<Entry> => {
    const { state, finality, isReversible } = entry.record;
    const isEnough = finality === "irreversible" && !isReversible;
    if (isEnough || wantedOf(payment) === "included" || isGiven(entry.record)) return entry;
    const reopened = state === "settled" && isReversible && { state: "broadcast" as const, ...nowhere };
    const changed = await ledger.change(entry, { finality: "irreversible", ...reopened });
    return changed ?? tighten(await ledger.reread(entry), payment);
  };

  /** A repeat: the chain is asked what became of the first. */
  const resume = async (found: Entry, payment: Payment, caller: Caller): Promise<Settlement> => {
    const entry = await tighten(found, payment);
    const { record } = entry;
    if (record.state === "settled") {
      if (isGiven(record) && record.answeredTo !== caller.mark) return answer(entry, caller);
      const known = await revisit(entry);
      return known ? answer(known, caller) : pending(record);
    }
    const working = active.get(record.txId);
    if (working !== undefined) {
      // A caller that repeats itself waits for its answer, another one need not.
      if (!caller.isKeyed) return answer(entry, caller);
      await working;
      return answer(await ledger.reread(entry), caller);
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
    return again ? drive(again, !isTaken, caller) : resume(await ledger.reread(entry), payment, caller);
  };

  const settle = async (payment: Payment, caller: Caller): Promise<Settlement> => {
    const known = await ledger.find(payment.transfer.ids.legacy);
    if (known) return resume(known, payment, caller);
    // Before anything is written: what the chain would refuse takes no room in the store.
    const checked = await check(payment);
    if ("reason" in checked) return refusedSettlement(checked, payment.network);
    const reserved = await ledger.reserve(newRecord(payment, checked, wantedOf(payment)));
    if (reserved) return drive(reserved, true, caller);
    const winner = await ledger.find(payment.transfer.ids.legacy);
    if (!winner) throw new CodedError("overloaded");
    return resume(winner, payment, caller);
  };

  return {
    isGiven,
    async settle(payment, given) {
      const caller = callerOf(given, payment);
      try {
        return await settle(payment, caller);
      } catch (error) {
        if (!caller.isKeyed) disappointed.add(caller.mark);
        throw error;
      }
    },

    async recover(signal) {
      const turn = rounds++;
      const faults: unknown[] = [];
      /** What goes wrong with one payment keeps nobody from the others; a store that is away ends the round. */
      const apart = (work: (entry: Entry) => Promise<unknown>) => async (entry: Entry) => {
        try {
          await work(entry);
        } catch (error) {
          if (error instanceof CodedError) throw error;
          faults.push(error);
        }
      };
      const pursue = apart(async (open) => {
        const entry = await acquit(open);
        if (!entry) return;
        const closed = await close(entry, await tracker.ask(entry.record, turn), null);
        if (closed !== entry) tell("recovered", closed.record);
      });
      await ledger.begin();
      for (const open of await ledger.listOpen()) {
        if (signal.aborted) return;
        if (!active.has(open.record.txId)) await pursue(open);
      }
      const reversible = await ledger.listReversible();
      for (let start = 0; start < reversible.length; start += LANES) {
        if (signal.aborted) return;
        await Promise.all(reversible.slice(start, start + LANES).map(apart(revisit)));
      }
      await ledger.forget();
      if (faults.length > 0) throw faults[0];
    },
  };
}

/** Whether the block is one in which the payment may have counted before the store was lost. */
function isOfLostStore({ storeBlock = 0 }: PaymentRecord, { blockNum }: { blockNum: number }): boolean {
  return blockNum <= storeBlock;
}
