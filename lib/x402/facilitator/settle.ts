import { CodedError, hasCode } from "../../errors.ts";
import { refusedSettlement, settlementAnswer } from "./answers.ts";
import type { CheckOnChain } from "./check-on-chain.ts";
import type { Finality } from "./finality.ts";
import type { Entry, Ledger } from "./ledger.ts";
import type { SettleOptions } from "./options.ts";
import {
  createMarks,
  newRecord,
  type PaymentRecord,
  requesterOf,
  type SettleRequester,
} from "./payment-record.ts";
import type { ParsedPayment } from "./read-request.ts";
import type { Settlement } from "./settlement.ts";
import type { TellEvent } from "./tell-event.ts";
import { nowhere, type Outcome, placeOf, type Tracker } from "./track.ts";

export type Settler = {
  settle(payment: ParsedPayment, options: SettleOptions): Promise<Settlement>;
  /** Returns whether a caller has got the only success of this payment. */
  isSuccessDelivered(record: PaymentRecord): boolean;
  /** Advances every open payment to the chain's current state, or until `signal` aborts. */
  recover(signal: AbortSignal): Promise<void>;
};

const AT_ONCE = 20;
/**
 * Time after a payment's end for which it is stored for the key that reserved it: as long as a browser stores
 * payments it has sent.
 */
const KEPT_FOR_OWNER_MS = 24 * 3_600_000;
/** Stands for the unknown caller that got the success of a payment older than the store. */
const LOST = "before this store";

/**
 * Creates the only code that claims, sends and answers payments. The ledger's atomic changes make this safe.
 */
export function createSettler(options: {
  ledger: Ledger;
  tracker: Tracker;
  check: CheckOnChain;
  finality: Finality;
  tell: TellEvent;
}): Settler {
  const { ledger, tracker, check, tell } = options;
  /** Payments that this process is working on; other callers need not repeat the work. */
  const active = new Map<string, Promise<unknown>>();
  /**
   * Marks of callers that received an error of the store. A write that seemed to fail may have succeeded, so
   * a success that is assigned to such a mark has reached no one.
   */
  const unansweredCallers = createMarks();
  /** Number of checks of open payments in this process, each of which begins at another node. */
  let rounds = 0;

  /** Records the chain's outcome in the ledger; other processes may do the same. */
  const close = async (entry: Entry, outcome: Outcome, answeredTo: string | null): Promise<Entry> => {
    if (outcome.kind === "open") return entry;
    const { state, owner } = entry.record;
    // A block outweighs a refusal that another caller received.
    const isDecided = state === "settled" || (state === "failed" && outcome.kind === "failed");
    if (isDecided) return entry;
    // Another caller may have reserved the payment meanwhile, if the work outlasted its own reservation.
    const taker = owner === undefined || owner === answeredTo ? answeredTo : null;
    const changes: Partial<PaymentRecord> =
      outcome.kind === "included"
        ? {
            state: "settled",
            ...placeOf(outcome),
            storeBlock: undefined,
            answeredTo: entry.record.answeredTo ?? (isOfLostStore(entry.record, outcome) ? LOST : taker),
          }
        : { state: "failed", failure: outcome.failure };
    const closed = await ledger.change(entry, changes);
    if (!closed) return close(await ledger.reread(entry), outcome, answeredTo);
    tell(outcome.kind === "included" ? "settled" : "failed", closed.record);
    return closed;
  };

  /**
   * A payment that is about as old as the store and in no block has not succeeded before, but a fork can
   * still put it into a block older than the store. Until that is ruled out, it must not be sent, and this
   * returns null.
   */
  const acquit = async (entry: Entry): Promise<Entry | null> => {
    const { storeBlock = 0, refBlock = 0, state } = entry.record;
    if (refBlock >= storeBlock || (await tracker.isPast(entry.record.expirationMs))) return entry;
    const place = await tracker.standsAsOf(storeBlock, entry.record);
    if (place === "nowhere") return (await ledger.change(entry, { storeBlock: undefined })) ?? entry;
    return place === "untold" && state === "reserved" ? null : entry;
  };

  /** Sends the payment and waits. In this process, only one call at a time does so for a payment. */
  const broadcastAndAnswer = async (
    entry: Entry,
    attempt: "first" | "retry" | "repeat",
    requester: SettleRequester,
  ): Promise<Settlement> => {
    const { txId } = entry.record;
    let current = entry;
    const work = (async () => {
      const known = await acquit(entry);
      if (!known) return entry;
      current = known;
      const outcome = await tracker.settle(current.record, {
        attempt,
        async onTaken() {
          if (current.record.state !== "reserved") return;
          current = (await ledger.change(current, { state: "broadcast" }).catch(() => null)) ?? current;
        },
      });
      return close(current, outcome, requester.isGone() ? null : requester.mark);
    })();
    active.set(txId, work);
    try {
      return await answer(await work, requester);
    } catch (error) {
      if (!hasCode(error, "degraded")) throw error;
      // The store failed after the payment was claimed, so only the chain knows the outcome.
      if (!requester.isKeyed) unansweredCallers.add(requester.mark);
      return pending(entry.record);
    } finally {
      active.delete(txId);
    }
  };

  const pending = (record: PaymentRecord) => {
    tell("pending", record);
    return settlementAnswer(record, "settlement_pending");
  };

  const isSuccessDelivered = ({ state, answeredTo }: PaymentRecord) =>
    state !== "failed" && answeredTo !== null && !unansweredCallers.has(answeredTo);

  /**
   * Asks the chain whether a settled payment is still in a block; if a fork has undone it, it is open again.
   * Returns null if the chain does not answer.
   */
  const recheckBlock = async (entry: Entry): Promise<Entry | null> => {
    const { blockNum, blockTxId, isReversible } = entry.record;
    if (!isReversible || blockNum === undefined) return entry;
    const outcome = await tracker.recheckBlock(entry.record, blockNum);
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

  /** Returns the answer for a caller that has no claim to the success. */
  const standing = (record: PaymentRecord) => {
    const failure = record.failure ?? "broadcast_rejected";
    return settlementAnswer(record, record.state === "failed" ? failure : "settlement_pending");
  };

  /**
   * Returns the ledger's answer for a caller, and assigns the success to the caller if it is still available.
   */
  const answer = async (entry: Entry, requester: SettleRequester): Promise<Settlement> => {
    const { record } = entry;
    if (record.state === "failed") return standing(record);
    if (record.state !== "settled") return pending(record);
    if (!isSuccessDelivered(record) && !requester.isGone()) {
      if (record.owner !== requester.owner) return standing(record);
      const taken = await ledger.change(entry, { answeredTo: requester.mark });
      return taken ? settlementAnswer(taken.record) : answer(await ledger.reread(entry), requester);
    }
    return record.answeredTo === requester.mark
      ? settlementAnswer(record)
      : settlementAnswer(record, "payment_replayed");
  };

  const wantedOf = (payment: ParsedPayment): Finality =>
    payment.finality === "irreversible" ? payment.finality : options.finality;

  /**
   * Raises the finality of a payment if a caller requires more than the first one did. The caller then waits
   * for the success until that finality is reached.
   */
  const tighten = async (entry: Entry, payment: ParsedPayment): Promise<Entry> => {
    const { state, finality, isReversible } = entry.record;
    const isEnough = finality === "irreversible" && !isReversible;
    if (isEnough || wantedOf(payment) === "included" || isSuccessDelivered(entry.record)) return entry;
    const reopened = state === "settled" && isReversible && { state: "broadcast" as const, ...nowhere };
    const changed = await ledger.change(entry, { finality: "irreversible", ...reopened });
    return changed ?? tighten(await ledger.reread(entry), payment);
  };

  const isAnothers = async ({ owner, expirationMs }: PaymentRecord, requester: SettleRequester) =>
    owner !== undefined &&
    owner !== requester.owner &&
    !(await tracker.isPast(expirationMs + KEPT_FOR_OWNER_MS));

  /**
   * Reserves a payment for the caller, or for no one if the caller presents neither key nor secret; null
   * while another caller has it.
   */
  const adopt = async (entry: Entry, requester: SettleRequester): Promise<Entry | null> => {
    const { owner } = requester;
    if (entry.record.owner === owner || isSuccessDelivered(entry.record)) return entry;
    if (await isAnothers(entry.record, requester)) return null;
    const adopted = await ledger.change(entry, { owner });
    return adopted ?? adopt(await ledger.reread(entry), requester);
  };

  /**
   * Lets one caller at a time, across processes, work on an unreserved payment; null while another caller
   * does.
   */
  const inCall = async <T>(payment: ParsedPayment, work: () => Promise<T>): Promise<T | null> => {
    const call = await ledger.takeCall(payment.transfer.ids.legacy);
    if (!call) return null;
    try {
      return await work();
    } finally {
      await call.release();
    }
  };

  /**
   * Resumes a claimed payment. A stranger who posts a payment seen in a block neither gets its success nor
   * causes any work.
   */
  const resume = async (
    found: Entry,
    payment: ParsedPayment,
    requester: SettleRequester,
  ): Promise<Settlement> => {
    const { record } = found;
    const isOwn = record.owner !== undefined && record.owner === requester.owner;
    if (isSuccessDelivered(record) || isOwn) return follow(found, payment, requester);
    if (await isAnothers(record, requester)) return standing(record);
    const answered = await inCall(payment, async () => {
      const entry = await adopt(await ledger.reread(found), requester);
      return entry && follow(entry, payment, requester);
    });
    return answered ?? standing(record);
  };

  /** Repeats an attempt by asking the chain for the outcome of the first attempt. */
  const follow = async (
    found: Entry,
    payment: ParsedPayment,
    requester: SettleRequester,
  ): Promise<Settlement> => {
    const entry = await tighten(found, payment);
    const { record } = entry;
    if (record.state === "settled") {
      if (isSuccessDelivered(record) && record.answeredTo !== requester.mark) return answer(entry, requester);
      const known = await recheckBlock(entry);
      return known ? answer(known, requester) : pending(record);
    }
    const working = active.get(record.txId);
    if (working !== undefined) {
      // A caller that repeats its call waits for the answer; others need not.
      if (!requester.isKeyed) return answer(entry, requester);
      await working;
      return answer(await ledger.reread(entry), requester);
    }
    if (record.state === "failed") return retryFailed(entry, payment, requester);
    return broadcastAndAnswer(entry, "repeat", requester);
  };

  /** Another party may have broadcast a refused payment since, or the reason may no longer apply. */
  const retryFailed = async (
    entry: Entry,
    payment: ParsedPayment,
    requester: SettleRequester,
  ): Promise<Settlement> => {
    const found = await tracker.findStatus(entry.record);
    if (found.kind === "included") return answer(await close(entry, found, requester.mark), requester);
    if (entry.record.failure === "transaction_expired") return answer(entry, requester);
    const isTaken = found.kind === "open" && found.isTaken;
    const again = await ledger.change(entry, {
      state: isTaken ? "broadcast" : "reserved",
      failure: undefined,
    });
    return again
      ? broadcastAndAnswer(again, isTaken ? "repeat" : "retry", requester)
      : resume(await ledger.reread(entry), payment, requester);
  };

  const settle = async (payment: ParsedPayment, requester: SettleRequester): Promise<Settlement> => {
    const known = await ledger.find(payment.transfer.ids.legacy);
    if (known) return resume(known, payment, requester);
    // Checked before anything is written, so that a payment that the chain would refuse takes no room in the
    // store.
    const checked = await check(payment);
    if ("reason" in checked) return refusedSettlement(checked, payment.network);
    const terms = { finality: wantedOf(payment), owner: requester.owner };
    const fresh = newRecord(payment, checked, terms);
    const begin = async () => {
      const reserved = await ledger.reserve(fresh);
      if (reserved) return broadcastAndAnswer(reserved, "first", requester);
      const winner = await ledger.find(payment.transfer.ids.legacy);
      if (!winner) throw new CodedError("overloaded");
      return resume(winner, payment, requester);
    };
    return (requester.isKeyed ? await begin() : await inCall(payment, begin)) ?? standing(fresh);
  };

  return {
    isSuccessDelivered,
    async settle(payment, given) {
      const requester = requesterOf(given, payment);
      try {
        return await settle(payment, requester);
      } catch (error) {
        if (!requester.isKeyed) unansweredCallers.add(requester.mark);
        throw error;
      }
    },

    async recover(signal) {
      const turn = rounds++;
      const faults: unknown[] = [];
      /**
       * Wraps the work on one payment so that a fault does not affect the others; a `CodedError`, such as an
       * unreachable store, ends the round.
       */
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
        const closed = await close(entry, await tracker.findOrRebroadcast(entry.record, turn), null);
        if (closed !== entry) tell("recovered", closed.record);
      });
      await ledger.begin();
      for (const open of await ledger.listOpen()) {
        if (signal.aborted) return;
        if (!active.has(open.record.txId)) await pursue(open);
      }
      const reversible = await ledger.listReversible();
      for (let start = 0; start < reversible.length; start += AT_ONCE) {
        if (signal.aborted) return;
        await Promise.all(reversible.slice(start, start + AT_ONCE).map(apart(recheckBlock)));
      }
      await ledger.forget();
      if (faults.length > 0) throw faults[0];
    },
  };
}

/** Returns whether the payment may have counted, in this block, before the store was lost. */
function isOfLostStore({ storeBlock = 0 }: PaymentRecord, { blockNum }: { blockNum: number }): boolean {
  return blockNum <= storeBlock;
}
