import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { isMils, type Mils } from "../../mils.ts";
import { HEADER_PAYMENT, HEADER_V2_PAYMENT } from "../header.ts";
import { type BudgetStore, budgetUnavailable } from "./budget-store.ts";
import type { LogicalRequest } from "./logical-request.ts";
import type { SentPayment } from "./made-payment.ts";
import { PaymentError } from "./payment-error.ts";
import { readExpiration } from "./payment-fate.ts";
import { wait } from "./wait.ts";

/** Time for which a payment in a block still delivers its content after its expiration. */
const LIFE_SECONDS = 86_400;
/** The time that a store keeps a payment, which a sent transfer's offer precedes. */
const KEPT_SECONDS = 2 * LIFE_SECONDS;
const MOST_OF_ONE_REQUEST = 100;
const MAX_TRIES = 20;
const BEAT_MS = 1000;
/** The silence after which a client counts as dead. */
const DEAD_AFTER_SECONDS = 4;

/**
 * `owner` is the client that works on the payment and increments `beat` every second; null if there is none.
 */
type Entry = SentPayment & { id: string; owner: string | null; beat: number };

/** A payment that only this client works on, until `drop` or `release` ends the work. Neither of the two rejects. */
export type HeldPayment = {
  payment: SentPayment;
  /**
   * Records that the wallet is asked to send the transfer. Returns false if another client has taken the payment over,
   * and so the wallet must not be asked.
   * @throws PaymentError `budget_unavailable`
   */
  markAsked(): Promise<boolean>;
  /**
   * Removes a payment that has bought its content, or never will. Returns whether it was stored until now.
   */
  drop(): Promise<boolean>;
  /**
   * Leaves the payment for a repeat of the same request. `isAnswered` has the same meaning as in the payment.
   */
  release(given?: { isAnswered: boolean }): Promise<void>;
};

/**
 * Payments that were sent and have not bought anything yet. A repeat of the request sends them again instead
 * of paying twice.
 */
export type PaymentsUnderWay = {
  /**
   * Ensures before signing that one more payment of a request can be stored.
   * @throws PaymentError `too_many_under_way`, `budget_unavailable`; the errors of the clock
   */
  requireRoom(subject: string): Promise<void>;
  /**
   * Stores a payment before it is sent. @throws PaymentError as `requireRoom` does, in which case the payment
   * is not stored, except perhaps with `budget_unavailable`
   */
  keep(subject: string, payment: SentPayment): Promise<HeldPayment>;
  /**
   * Takes over the oldest payment of a request that no client works on, or returns null. If other clients
   * hold all its payments, it first waits 4 s to see which of them are alive.
   * @throws PaymentError `budget_unavailable`; the errors of the clock; the signal's reason
   */
  take(subject: string, signal: AbortSignal): Promise<HeldPayment | null>;
};

/**
 * Identifies a request by method, address and body, hashed because addresses can contain secrets. A missing
 * body differs from an empty one.
 */
export function subjectOf({ method, body }: Pick<LogicalRequest, "method" | "body">, url: string): string {
  return bytesToHex(sha256(utf8ToBytes(`${method} ${url} ${body ? bytesToHex(sha256(body)) : "-"}`)));
}

/**
 * Creates the list of an account's payments under way in a store, which other clients share if `isShared`.
 * `now` is the chain's time in ms.
 */
export function createPaymentsUnderWay(
  store: BudgetStore,
  account: string,
  { isShared, now }: { isShared: boolean; now: () => Promise<number> },
): PaymentsUnderWay {
  const self = crypto.randomUUID();
  const held = new Set<string>();
  const keyOf = (subject: string) => `x402:underway:${account}:${subject}`;
  const read = async (subject: string) => {
    const text = await store.get(keyOf(subject));
    return { text, entries: parse(text) };
  };

  /** Changes the payments of a request atomically. Returns whether `plan` made a change. */
  const change = async (subject: string, plan: (entries: Entry[]) => Entry[] | null): Promise<boolean> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { text, entries } = await read(subject);
      const next = plan(entries);
      if (!next) return false;
      const written = toStoredText(next);
      const isAnySent = next.some(({ sentUntilMs }) => sentUntilMs !== undefined);
      const ttl = next.length === 0 ? 1 : isAnySent ? KEPT_SECONDS : LIFE_SECONDS;
      const key = keyOf(subject);
      if (
        await (text === null ? store.setIfAbsent(key, written, ttl) : store.replace(key, text, written, ttl))
      )
        return true;
    }
    throw budgetUnavailable(new Error("too many concurrent writers"));
  };

  const changeOne = (subject: string, id: string, to: (entry: Entry) => Entry | null) =>
    change(subject, (entries) => {
      if (!entries.some((entry) => entry.id === id && entry.owner === self)) return null;
      return entries.flatMap((entry) => (entry.id === id ? (to(entry) ?? []) : [entry]));
    });

  const hold = (subject: string, { id, owner: _self, beat: _beat, ...payment }: Entry): HeldPayment => {
    held.add(id);
    const beating = isShared
      ? setInterval(() => {
          changeOne(subject, id, (entry) => ({ ...entry, beat: entry.beat + 1 })).catch(() => {
            // The store is unreachable; the next beat tries again.
          });
        }, BEAT_MS)
      : undefined;
    (beating as { unref?: () => void } | undefined)?.unref?.();
    const end = async (to: (entry: Entry) => Entry | null) => {
      clearInterval(beating);
      const isChanged = await changeOne(subject, id, to).catch(() => {
        // The payment may be sent once more, which charges no one twice.
        return false;
      });
      held.delete(id);
      return isChanged;
    };
    return {
      payment,
      markAsked: () => changeOne(subject, id, ({ isUnasked, ...entry }) => entry),
      drop: () => end(() => null),
      release: async (given) => void (await end((entry) => ({ ...entry, ...given, owner: null }))),
    };
  };

  /** Takes over a payment, unless another client has worked on it since it was seen. */
  const takeOver = async (subject: string, seen: Entry): Promise<HeldPayment | null> => {
    // Checked synchronously, because two requests of this client must not both take the payment.
    if (held.has(seen.id)) return null;
    held.add(seen.id);
    let taken: Entry | undefined;
    try {
      const isTaken = await change(subject, (entries) => {
        const left = entries.find((entry) => isLeftAlone(entry, seen));
        if (!left) return null;
        const mine: Entry = { ...left, owner: self, beat: left.beat + 1 };
        taken = mine;
        return entries.map((entry) => (entry === left ? mine : entry));
      });
      if (isTaken && taken) return hold(subject, taken);
    } catch (error) {
      held.delete(seen.id);
      throw error;
    }
    held.delete(seen.id);
    return null;
  };

  const takeFirst = async (subject: string, seen: readonly Entry[]): Promise<HeldPayment | null> => {
    for (const entry of seen) {
      const taken = await takeOver(subject, entry);
      if (taken) return taken;
    }
    return null;
  };

  const hasRoom = (entries: readonly Entry[]) => entries.length < MOST_OF_ONE_REQUEST;
  const isInTime = ({ header, sentUntilMs }: Entry, nowMs: number) =>
    (sentUntilMs ?? readExpiration(header)) + LIFE_SECONDS * 1000 > nowMs;

  return {
    async requireRoom(subject) {
      if (hasRoom((await read(subject)).entries)) return;
      const nowMs = await now();
      await change(subject, (entries) => entries.filter((entry) => isInTime(entry, nowMs)));
      if (!hasRoom((await read(subject)).entries)) throw tooMany();
    },
    async keep(subject, payment) {
      const entry: Entry = { ...payment, id: crypto.randomUUID(), owner: self, beat: 0 };
      // An equal request must not take the payment as soon as it is stored.
      held.add(entry.id);
      try {
        const isKept = await change(subject, (entries) => (hasRoom(entries) ? [...entries, entry] : null));
        if (!isKept) throw tooMany();
      } catch (error) {
        held.delete(entry.id);
        throw error;
      }
      return hold(subject, entry);
    },
    async take(subject, signal) {
      const { entries } = await read(subject);
      if (entries.length === 0) return null;
      const nowMs = await now();
      const live = entries.filter((entry) => !held.has(entry.id) && isInTime(entry, nowMs));
      const isFree = ({ owner }: Entry) => owner === null || owner === self;
      const taken = await takeFirst(subject, live.filter(isFree));
      const others = live.filter((entry) => !isFree(entry));
      if (taken || others.length === 0) return taken;
      await wait(DEAD_AFTER_SECONDS, signal);
      return takeFirst(subject, others);
    },
  };
}

const tooMany = () =>
  new PaymentError(
    "too_many_under_way",
    `${MOST_OF_ONE_REQUEST} payments for this request have been sent and not answered yet.`,
  );

/**
 * Returns whether the owner has been inactive since the payment was seen. One beat may be the late last write
 * of a dead owner.
 */
const isLeftAlone = (entry: Entry, seen: Entry) =>
  entry.id === seen.id && entry.owner === seen.owner && entry.beat - seen.beat <= 1;

/** The stored form of a payment. The name of its amount is that of the first version. */
type StoredEntry = Omit<Entry, "amountMils"> & { amountMillis: Mils };

function toStoredText(entries: readonly Entry[]): string {
  const stored = entries.map(
    ({ amountMils, ...entry }): StoredEntry => ({ ...entry, amountMillis: amountMils }),
  );
  return JSON.stringify(stored);
}

function parse(text: string | null): Entry[] {
  try {
    const stored = JSON.parse(text ?? "[]") as StoredEntry[];
    const entries = stored.map(
      ({ amountMillis, ...entry }): Entry => ({
        ...entry,
        amountMils: amountMillis,
        // Older versions stored no header name, because they used only this header.
        sentAs: entry.sentAs ?? HEADER_PAYMENT,
      }),
    );
    for (const { id, header, sentAs, payTo, network, amountMils, beat, counted, sentUntilMs } of entries)
      if (
        (counted && !(Number.isSafeInteger(counted.minute) && typeof counted.client === "string")) ||
        ![id, header, payTo, network].every((part) => typeof part === "string") ||
        !isMils(amountMils) ||
        !Number.isSafeInteger(beat) ||
        (sentAs !== HEADER_PAYMENT && sentAs !== HEADER_V2_PAYMENT) ||
        !Number.isFinite(sentUntilMs ?? readExpiration(header))
      )
        throw new TypeError("not a payment");
    return entries;
  } catch (cause) {
    throw budgetUnavailable(cause);
  }
}
