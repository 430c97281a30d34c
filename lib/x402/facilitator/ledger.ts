import { z } from "zod";
import type { Store } from "../../store/store.ts";
import { PaymentRecord } from "./payment-record.ts";

const HOUR_MS = 3_600_000;
/** Kept this long after its expiration: by then the chain and every requirement have forgotten the payment. */
const KEPT_FOR_MS = 7 * 24 * HOUR_MS;
/** What failed cost its payer nothing, so that somebody could fill the store with it; the chain won't have it any more. */
const FAILED_KEPT_FOR_MS = HOUR_MS;
const MAX_LISTED = 1000;
const STALE_MARK_MS = 60_000;

/** A record together with its stored text, which a change must still find there. */
export type Entry = { record: PaymentRecord; text: string };

/** The payments in the store. Every change is one atomic step, for all processes that share the store. */
export type Ledger = ReturnType<typeof createLedger>;

const paymentKey = (id: string) => `x402:payment:${id}`;
/** One walk through a large store finds both; those whose outcome is not known come first. */
const UNFINISHED = "x402:open";
const OPEN = `${UNFINISHED}:`;
const REVERSIBLE = `${UNFINISHED}_reversible:`;
const Twin = z.object({ twinOf: z.string() });

/** Where a payment that is to be looked after again is listed; `null` when all is said about it. */
function listOf({ state, isReversible }: PaymentRecord): string | null {
  if (state === "reserved" || state === "broadcast") return OPEN;
  return state === "settled" && isReversible ? REVERSIBLE : null;
}

/** A mark tells when it was made. */
const mark = () => String(Date.now());

/** Makes the ledger of a store. */
export function createLedger(store: Store) {
  const ttlSeconds = ({ state, expirationMs }: PaymentRecord) => {
    const keptForMs = state === "failed" ? FAILED_KEPT_FOR_MS : KEPT_FOR_MS;
    return Math.ceil((Math.max(expirationMs - Date.now(), 0) + keptForMs) / 1000);
  };
  const twinText = ({ txId }: PaymentRecord) => JSON.stringify({ twinOf: txId });

  const read = async (id: string): Promise<Entry | null> => {
    const text = await store.get(paymentKey(id));
    if (text === null) return null;
    const value: unknown = JSON.parse(text);
    const twin = Twin.safeParse(value);
    return twin.success ? read(twin.data.twinOf) : { record: PaymentRecord.parse(value), text };
  };

  return {
    /** Finds the payment that holds an id; as both ids are claimed at once, either will do. */
    find: read,

    /** Claims both ids at once; `null` when one of them is held already. */
    async reserve(record: PaymentRecord): Promise<Entry | null> {
      const text = JSON.stringify(record);
      const isReserved = await store.setAllIfAbsent(
        [
          [paymentKey(record.txId), text],
          [paymentKey(record.twinId), twinText(record)],
          [OPEN + record.txId, mark()],
        ],
        ttlSeconds(record),
      );
      return isReserved ? { record, text } : null;
    },

    /** Changes a payment unless somebody else has changed it since `entry` was read: then `null`. */
    async change(entry: Entry, changes: Partial<PaymentRecord>): Promise<Entry | null> {
      const record = { ...entry.record, ...changes };
      const text = JSON.stringify(record);
      const ttl = ttlSeconds(record);
      const [before, after] = [listOf(entry.record), listOf(record)];
      // Listed before it opens and struck off after it closes, so that a crash in between leaves a mark too many.
      if (after !== null) await store.set(after + record.txId, mark(), ttl);
      if (!(await store.replace(paymentKey(record.txId), entry.text, text, ttl))) return null;
      if (before !== null && before !== after) await store.delete(before + record.txId);
      if ((entry.record.state === "failed") !== (record.state === "failed"))
        await store.set(paymentKey(record.twinId), twinText(record), ttl);
      return { record, text };
    },

    /** The payments whose outcome is not known, and those that are settled as long as no fork undoes their block. */
    async listUnfinished(): Promise<Entry[]> {
      const marks = await store.list(UNFINISHED, MAX_LISTED);
      const entries = await Promise.all(
        marks.map(async ({ key, value }) => {
          const id = key.slice(key.lastIndexOf(":") + 1);
          const entry = await read(id);
          if (entry && listOf(entry.record) + id === key) return [entry];
          // Left behind by a crash; a young mark may be that of a change in work.
          if (Date.now() - Number(value) > STALE_MARK_MS) await store.deleteIf(key, value);
          return [];
        }),
      );
      return entries.flat();
    },
  };
}
