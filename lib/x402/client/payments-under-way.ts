import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { type BudgetStore, budgetUnavailable } from "./budget-store.ts";
import type { LogicalRequest } from "./logical-request.ts";
import type { SentPayment } from "./made-payment.ts";
import { PaymentError } from "./payment-error.ts";
import { readExpiration } from "./payment-fate.ts";
import { wait } from "./wait.ts";

/** Within this time after its expiration a payment that reached its block still brings what it paid for. */
const LIFE_SECONDS = 86_400;
const MOST_OF_ONE_REQUEST = 100;
const MAX_TRIES = 20;
const BEAT_MS = 1000;
/** A client that was not heard of for so long has died. */
const DEAD_AFTER_SECONDS = 4;

/** `owner`: the client that is at it, which counts `beat` up every second; null while none is. */
type Entry = SentPayment & { id: string; owner: string | null; beat: number };

/** A payment that this client is at, and no other. Neither method rejects; one of them ends it. */
export type HeldPayment = {
  payment: SentPayment;
  /** It has brought what it paid for, or never will: it is kept no longer. Returns whether it was kept until now. */
  drop(): Promise<boolean>;
  /** It may have to be sent again, by whoever makes the same request; `isAnswered` as the payment's. */
  release(given?: { isAnswered: boolean }): Promise<void>;
};

/** Payments that were sent and have not brought anything yet: the same request sends them again instead of paying twice. */
export type PaymentsUnderWay = {
  /**
   * Makes sure, before one is signed, that one more payment of a request can be kept.
   * @throws PaymentError `too_many_under_way`, `budget_unavailable`; what the clock throws
   */
  requireRoom(subject: string): Promise<void>;
  /** Keeps a payment before it is sent. @throws PaymentError as `requireRoom`; then none was kept, but with the latter */
  keep(subject: string, payment: SentPayment): Promise<HeldPayment>;
  /**
   * Takes up the oldest payment of a request that no client is at; waits 4 s to see whether those who are still live.
   * @throws PaymentError `budget_unavailable`; what the clock throws; the signal's reason
   */
  take(subject: string, signal: AbortSignal): Promise<HeldPayment | null>;
};

/** Names a request by method, address and body; in a hash, because addresses may hold secrets. No body and an empty one are two. */
export function subjectOf({ method, body }: Pick<LogicalRequest, "method" | "body">, url: string): string {
  return bytesToHex(sha256(utf8ToBytes(`${method} ${url} ${body ? bytesToHex(sha256(body)) : "-"}`)));
}

/**
 * Creates the payments of an account in a store, which other clients share where `isShared`. `now` is the chain's time in ms.
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

  /** Changes the payments of a request in one step; returns whether `plan` wanted to. */
  const change = async (subject: string, plan: (entries: Entry[]) => Entry[] | null): Promise<boolean> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { text, entries } = await read(subject);
      const next = plan(entries);
      if (!next) return false;
      const written = JSON.stringify(next);
      const ttl = next.length > 0 ? LIFE_SECONDS : 1;
      const key = keyOf(subject);
      if (
        await (text === null ? store.setIfAbsent(key, written, ttl) : store.replace(key, text, written, ttl))
      )
        return true;
    }
    throw budgetUnavailable(new Error("too many others write"));
  };

  const changeOne = (subject: string, id: string, to: (entry: Entry) => Entry | null) =>
    change(subject, (entries) => {
      if (!entries.some((entry) => entry.id === id && entry.owner === self)) return null;
      return entries.flatMap((entry) => (entry.id === id ? (to(entry) ?? []) : [entry]));
    });

  const hold = (
    subject: string,
    { id, header, amountMillis, payTo, network, counted, isAnswered }: Entry,
  ): HeldPayment => {
    held.add(id);
    const beating = isShared
      ? setInterval(() => {
          changeOne(subject, id, (entry) => ({ ...entry, beat: entry.beat + 1 })).catch(() => {
            // The store is away; the next beat tries again.
          });
        }, BEAT_MS)
      : undefined;
    (beating as { unref?: () => void } | undefined)?.unref?.();
    const end = async (to: (entry: Entry) => Entry | null) => {
      clearInterval(beating);
      const isChanged = await changeOne(subject, id, to).catch(() => {
        // Then it is sent once more, which charges nobody twice.
        return false;
      });
      held.delete(id);
      return isChanged;
    };
    return {
      payment: {
        ...{ header, amountMillis, payTo, network },
        ...(counted && { counted }),
        ...(isAnswered && { isAnswered }),
      },
      drop: () => end(() => null),
      release: async (given) => void (await end((entry) => ({ ...entry, ...given, owner: null }))),
    };
  };

  /** Makes a payment this client's own, if nobody has been at it since it was seen. */
  const takeOver = async (subject: string, seen: Entry): Promise<HeldPayment | null> => {
    // Before anything is waited for: two requests of this client must not both take it.
    if (held.has(seen.id)) return null;
    held.add(seen.id);
    try {
      const isTaken = await change(subject, (entries) =>
        entries.some((entry) => isLeftAlone(entry, seen))
          ? entries.map((entry) =>
              entry.id === seen.id ? { ...entry, owner: self, beat: entry.beat + 1 } : entry,
            )
          : null,
      );
      if (isTaken) return hold(subject, seen);
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
  const isInTime = ({ header }: Entry, nowMs: number) => readExpiration(header) + LIFE_SECONDS * 1000 > nowMs;

  return {
    async requireRoom(subject) {
      if (hasRoom((await read(subject)).entries)) return;
      const nowMs = await now();
      await change(subject, (entries) => entries.filter((entry) => isInTime(entry, nowMs)));
      if (!hasRoom((await read(subject)).entries)) throw tooMany();
    },
    async keep(subject, payment) {
      const entry: Entry = { ...payment, id: crypto.randomUUID(), owner: self, beat: 0 };
      const isKept = await change(subject, (entries) => (hasRoom(entries) ? [...entries, entry] : null));
      if (!isKept) throw tooMany();
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

/** Whether its owner has not been at it since it was seen. One beat may be the last write of a dead one, which came late. */
const isLeftAlone = (entry: Entry, seen: Entry) =>
  entry.id === seen.id && entry.owner === seen.owner && entry.beat - seen.beat <= 1;

function parse(text: string | null): Entry[] {
  try {
    const entries = JSON.parse(text ?? "[]") as Entry[];
    for (const { id, header, payTo, network, amountMillis, beat, counted } of entries)
      if (
        (counted && !(Number.isSafeInteger(counted.minute) && typeof counted.client === "string")) ||
        ![id, header, payTo, network].every((part) => typeof part === "string") ||
        ![amountMillis, beat].every(Number.isSafeInteger) ||
        Number.isNaN(readExpiration(header))
      )
        throw new TypeError("not a payment");
    return entries;
  } catch (cause) {
    throw budgetUnavailable(cause);
  }
}
