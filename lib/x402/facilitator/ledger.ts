import { z } from "zod";
import { CodedError } from "../../errors.ts";
import { takeLease } from "../../store/lease.ts";
import type { Change, Store } from "../../store/store.ts";
import type { ChainClock } from "./chain-clock.ts";
import { PaymentRecord, toStoredText } from "./payment-record.ts";

const HOUR_MS = 3_600_000;
/**
 * Records are deleted this long after expiration, when neither the chain nor any offer accepts the payment.
 */
const KEPT_FOR_MS = 7 * 24 * HOUR_MS;
/**
 * Failed payments are deleted sooner: the chain no longer accepts them, and they cost their payers nothing,
 * so many of them could fill the store.
 */
const FAILED_KEPT_FOR_MS = HOUR_MS;
const MAX_LISTED = 1000;
const AT_ONCE = 20;

/** A record together with its stored text, which must be unchanged for the record to be replaced. */
export type Entry = { record: PaymentRecord; text: string };

/** The error for a record of a newer version, or for a damaged one; other payments continue. */
class UnreadablePayment extends CodedError {
  constructor(cause: unknown) {
    super("degraded", { cause });
  }
}

/** The payments in the store. Every change is atomic for all processes that share the store. */
export type Ledger = ReturnType<typeof createLedger>;

const PAYMENT = "x402:payment:";
const paymentKey = (id: string) => PAYMENT + id;
const callKey = (id: string) => `x402:call:${id}`;
/** The value stored under the second id. */
const Alternate = z.object({ twinOf: z.string() });
const BIRTH = "x402:birth";
const Birth = z.object({ block: z.number() });
/** The keys under which versions before sorted sets listed unfinished payments. */
const FORMER_MARKS = "x402:open:";

/** The sorted sets of payments by chain time in ms. Each payment is in exactly one of them. */
const sets = {
  /** Payments without a known outcome, scored by expiration. */
  open: "x402:payments:open",
  /** Settled in a block that a fork can undo, scored by expiration. */
  reversible: "x402:payments:reversible",
  /** Finished payments, scored by the time after which they are deleted. */
  closed: "x402:payments:closed",
};

/** Returns the set that a payment belongs to, and its score there. */
function placeOf({
  state,
  isReversible,
  expirationMs,
}: PaymentRecord): readonly [set: string, score: number] {
  if (state === "reserved" || state === "broadcast") return [sets.open, expirationMs];
  if (state === "settled" && isReversible) return [sets.reversible, expirationMs];
  return [sets.closed, expirationMs + (state === "failed" ? FAILED_KEPT_FOR_MS : KEPT_FOR_MS)];
}

/**
 * Creates the ledger of a store. Records have no time to live, which stores would count by a machine's clock;
 * the chain's clock decides when to delete them. `onUnreadable` is called with the error of each unreadable
 * record when payments are listed.
 */
export function createLedger(
  store: Store,
  clock: ChainClock,
  onUnreadable: (error: unknown) => void = () => {},
) {
  const alternateText = ({ txId }: PaymentRecord) => JSON.stringify({ twinOf: txId });
  let birth: { block: number; text: string } | null = null;
  /** The newest block in which a payment was seen; a lagging node must not make the store look older than that. */
  let newestBlock = 0;
  let isAdopted = false;

  const read = async (id: string): Promise<Entry | null> => {
    const text = await store.get(paymentKey(id));
    if (text === null) return null;
    const found = parse(text);
    return "twinOf" in found ? read(found.twinOf) : { record: found, text };
  };

  /**
   * Reads the head block when the store was created, and records it in a new store. A store of a version that
   * did not record this counts as having always existed.
   */
  const readBirth = async () => {
    for (;;) {
      const text = await store.get(BIRTH);
      if (text !== null) return { ...Birth.parse(JSON.parse(text)), text };
      const isFormer = (await store.list(PAYMENT, 1)).length > 0;
      const block = isFormer ? 0 : Math.max((await clock(0)).headBlock, newestBlock);
      await store.setIfAbsent(BIRTH, JSON.stringify({ block }));
    }
  };

  const write = (record: PaymentRecord, expect: Change["expect"], text: string): Promise<boolean> => {
    const [set, score] = placeOf(record);
    return store.commit({
      expect,
      set: [
        [paymentKey(record.txId), text],
        [paymentKey(record.alternateId), alternateText(record)],
      ],
      scores: Object.values(sets).map((name) => [name, record.txId, name === set ? score : null] as const),
    });
  };

  const strike = (set: string, id: string, { record, text }: Partial<Entry>): Promise<boolean> =>
    store.commit({
      expect: [[paymentKey(id), text ?? null]],
      delete: record ? [paymentKey(record.txId), paymentKey(record.alternateId)] : [],
      scores: [[set, id, null]],
    });

  /** Returns the payment with an id from a set; if there is none, returns nothing and repairs the set. */
  const readListed = async (set: string, id: string): Promise<Entry[]> => {
    try {
      const entry = await read(id);
      if (entry && placeOf(entry.record)[0] === set) return [entry];
      await (entry ? write(entry.record, [[paymentKey(id), entry.text]], entry.text) : strike(set, id, {}));
    } catch (error) {
      if (!(error instanceof UnreadablePayment)) throw error;
      onUnreadable(error);
    }
    return [];
  };

  const listSet = async (set: string, upToMs: number): Promise<Entry[]> => {
    const ids = await store.range(set, upToMs, MAX_LISTED);
    const entries: Entry[] = [];
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      const found = await Promise.all(ids.slice(start, start + AT_ONCE).map((id) => readListed(set, id)));
      entries.push(...found.flat());
    }
    return entries;
  };

  return {
    /**
     * Finds the payment with an id. Both ids are claimed at once, so either works.
     * @throws CodedError `degraded` for an unreadable record
     */
    find: read,

    /** Claims both ids at once; `null` if one of them is already claimed. */
    async reserve(fresh: PaymentRecord): Promise<Entry | null> {
      for (;;) {
        birth ??= await readBirth();
        const record = { ...fresh, storeBlock: birth.block };
        const text = toStoredText(record);
        const absent = [record.txId, record.alternateId].map((id) => [paymentKey(id), null] as const);
        if (await write(record, [[BIRTH, birth.text], ...absent], text)) return { record, text };
        const present = await readBirth();
        if (present.text === birth.text) return null;
        // The store has been lost since the last write.
        birth = present;
      }
    },

    /** Changes a payment; `null` if it was changed since `entry` was read. */
    async change(entry: Entry, changes: Partial<PaymentRecord>): Promise<Entry | null> {
      const record = { ...entry.record, ...changes };
      newestBlock = Math.max(newestBlock, record.blockNum ?? 0);
      const text = toStoredText(record);
      const isChanged = await write(record, [[paymentKey(record.txId), entry.text]], text);
      return isChanged ? { record, text } : null;
    },

    /**
     * Reserves a payment, across processes, for one call of a caller without a key; `null` while another call
     * has it.
     */
    takeCall: (id: string) => takeLease(store, callKey(id)),

    /**
     * Reads the payment again.
     * @throws CodedError `degraded` if the store was lost meanwhile
     */
    async reread({ record }: Entry): Promise<Entry> {
      const entry = await read(record.txId);
      if (!entry)
        throw new CodedError("degraded", { cause: new Error("a claimed payment has left the store") });
      return entry;
    },

    /** Lists the payments without a known outcome, earliest expiration first. */
    listOpen: () => listSet(sets.open, Number.POSITIVE_INFINITY),

    /** Lists the payments that are settled unless a fork undoes their blocks. */
    listReversible: () => listSet(sets.reversible, Number.POSITIVE_INFINITY),

    /** Records where the store begins, and imports the unfinished payments of a version before sorted sets. */
    async begin(): Promise<void> {
      birth = await readBirth();
      if (isAdopted) return;
      for (const { key } of await store.list(FORMER_MARKS, MAX_LISTED)) {
        const entry = await read(key.slice(key.lastIndexOf(":") + 1));
        if (entry) await write(entry.record, [[paymentKey(entry.record.txId), entry.text]], entry.text);
        await store.delete(key);
      }
      isAdopted = true;
    },

    /**
     * Deletes the payments whose time is over by both the chain's clock and this machine's, so that a wrong
     * clock deletes nothing.
     */
    async forget(): Promise<void> {
      for (;;) {
        const ids = await store.range(sets.closed, Date.now(), MAX_LISTED);
        if (ids.length === 0) return;
        const { reachedTimeMs } = await clock(0);
        const over = await listSet(sets.closed, Math.min(Date.now(), reachedTimeMs));
        for (let start = 0; start < over.length; start += AT_ONCE)
          await Promise.all(
            over.slice(start, start + AT_ONCE).map((entry) => strike(sets.closed, entry.record.txId, entry)),
          );
        if (over.length < MAX_LISTED) return;
      }
    },
  };
}

/** @throws UnreadablePayment */
function parse(text: string): PaymentRecord | z.infer<typeof Alternate> {
  try {
    const value: unknown = JSON.parse(text);
    const alternate = Alternate.safeParse(value);
    return alternate.success ? alternate.data : PaymentRecord.parse(value);
  } catch (cause) {
    throw new UnreadablePayment(cause);
  }
}
