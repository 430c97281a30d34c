import { CodedError, hasCode } from "../../errors.ts";
import type { CheckOnChain } from "./check-on-chain.ts";
import { refusedSettlement, type Settlement, settlementAnswer } from "./facilitator-error.ts";
import type { Entry, Ledger } from "./ledger.ts";
import type { TellEvent } from "./options.ts";
import {
  createMarks,
  newRecord,
  type PaymentRecord,
  requesterOf,
  type SettleOptions,
  type SettleRequester,
} from "./payment-record.ts";
import type { Finality, ParsedPayment } from "./read-request.ts";
import { nowhere, type Outcome, placeOf, type Tracker } from "./track.ts";

export type Settler = {
  settle(payment: ParsedPayment, options: SettleOptions): Promise<Settlement>;
  /** Whether somebody has got the one success of this payment. */
  isSuccessDelivered(record: PaymentRecord): boolean;
  /** Brings every open payment as far as the chain has, or as far as it comes until `signal` aborts. */
  recover(signal: AbortSignal): Promise<void>;
};

const AT_ONCE = 20;
/** How long after its end a payment is kept for the key that reserved it: as long as a browser keeps what it has sent. */
const KEPT_FOR_OWNER_MS = 24 * 3_600_000;
/** Stands for the unknown caller who got the success of a payment older than the store. */
const LOST = "before this store";

/** Creates the one place where payments are claimed, sent and answered; see the ledger for what makes it safe. */
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
  const unansweredCallers = createMarks();
  /** How often this process looked after its open payments; each time it begins at another node. */
  let rounds = 0;

  /** Writes the chain's word into the ledger, whoever else may be doing the same. */
  const close = async (entry: Entry, outcome: Outcome, answeredTo: string | null): Promise<Entry> => {
    if (outcome.kind === "open") return entry;
    const { state, owner } = entry.record;
    // A block outweighs a refusal that somebody else was given.
    const isDecided = state === "settled" || (state === "failed" && outcome.kind === "failed");
    if (isDecided) return entry;
    // Somebody else may have reserved it meanwhile, where the work took longer than the own reservation.
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
   * A payment about as old as the store that is in no block has not counted before, though a fork may yet put it into a
   * block from before the store. Until that is known it must not be sent: then null.
   */
  const acquit = async (entry: Entry): Promise<Entry | null> => {
    const { storeBlock = 0, refBlock = 0, state } = entry.record;
    if (refBlock >= storeBlock || (await tracker.isPast(entry.record.expirationMs))) return entry;
    const place = await tracker.standsAsOf(storeBlock, entry.record);
    if (place === "nowhere") return (await ledger.change(entry, { storeBlock: undefined })) ?? entry;
    return place === "untold" && state === "reserved" ? null : entry;
  };

  /** Sends and waits, alone in this process. */
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
      // The store went away under a claimed payment: its outcome is known to the chain, and not yet to us.
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
   * Asks the chain whether a settled payment still is in a block; one that a fork has undone is open again. Null while the
   * chain can't tell.
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

  /** The answer for a caller to whom the success does not belong. */
  const standing = (record: PaymentRecord) => {
    const failure = record.failure ?? "broadcast_rejected";
    return settlementAnswer(record, record.state === "failed" ? failure : "settlement_pending");
  };

  /** The answer for a caller from what the ledger says; takes the success when it is still there to be had. */
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

  /** A caller may ask for more than the first one did: then that is what their success has to wait for. */
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

  /** Reserves a payment for the caller, or for nobody where it brings neither key nor secret; null while it is another's. */
  const adopt = async (entry: Entry, requester: SettleRequester): Promise<Entry | null> => {
    const { owner } = requester;
    if (entry.record.owner === owner || isSuccessDelivered(entry.record)) return entry;
    if (await isAnothers(entry.record, requester)) return null;
    const adopted = await ledger.change(entry, { owner });
    return adopted ?? adopt(await ledger.reread(entry), requester);
  };

  /** Has one caller at a time, in all processes, work on a payment that nobody has reserved; null while another one does. */
  const inCall = async <T>(payment: ParsedPayment, work: () => Promise<T>): Promise<T | null> => {
    const call = await ledger.takeCall(payment.transfer.ids.legacy);
    if (!call) return null;
    try {
      return await work();
    } finally {
      await call.release();
    }
  };

  /** A payment that is claimed. Strangers who post what they saw in a block neither get its success nor do any work. */
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

  /** A repeat: the chain is asked what became of the first. */
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
      // A caller that repeats itself waits for its answer, another one need not.
      if (!requester.isKeyed) return answer(entry, requester);
      await working;
      return answer(await ledger.reread(entry), requester);
    }
    if (record.state === "failed") return retryFailed(entry, payment, requester);
    return broadcastAndAnswer(entry, "repeat", requester);
  };

  /** A refused payment may have been broadcast by somebody since, or its cause may have gone. */
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
    // Before anything is written: what the chain would refuse takes no room in the store.
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

/** Whether the block is one in which the payment may have counted before the store was lost. */
function isOfLostStore({ storeBlock = 0 }: PaymentRecord, { blockNum }: { blockNum: number }): boolean {
  return blockNum <= storeBlock;
}
