import { z } from "zod";
import { answerWithin } from "../../async/time-limits.ts";
import { takeLease } from "../../store/lease.ts";
import type { Store } from "../../store/store.ts";
import { warn } from "../check-options.ts";
import { createMemoryStore } from "../memory-store.ts";
import { SettleResponse } from "../types.ts";

/** The part of a store that claims need. */
export type ClaimStore = Pick<Store, "get" | "setIfAbsent" | "replace" | "deleteIf">;

const warning =
  "A paywall remembers deliveries in memory only: give it a `dataDir`, which survives a restart, or a `redisUrl` (or `store`) that all its servers share.";

let hasWarned = false;

/** Creates a claim store of this process; warns once. `now` is a monotonic clock in ms. */
export function createMemoryClaimStore(now?: () => number): ClaimStore {
  if (!hasWarned) {
    hasWarned = true;
    warn(warning, "HIVEGATE_MEMORY_CLAIMS");
  }
  return createMemoryStore(now);
}

/** Longer than any facilitator remembers, so that a delivery is never forgotten before the payment is worthless. */
const KEEP_SECONDS = 30 * 24 * 3600;
/** Longer than a facilitator keeps a payment for the key that reserved it: one that was refused may have got into a block. */
const KEEP_REFUSED_SECONDS = 25 * 3600;
/** A proof is worth nothing once its transfer has expired, and a payment like any other if it got into a block. */
const KEEP_PROOF_SECONDS = KEEP_REFUSED_SECONDS;
const keepSecondsOf = ({ isProof }: Claim) => (isProof ? KEEP_PROOF_SECONDS : KEEP_SECONDS);
/** A store of the seller's own need not have a limit; what it does later is as if its answer had been lost. */
const TIMEOUT_MS = 5000;
const MAX_TRIES = 3;
const INSIST_AFTER_MS = 1000;
const INSIST_AFTER_MOST_MS = 30_000;
/** A day. */
const INSIST_TRIES = 2880;

/**
 * What became of a payment here. `delivering`: its content is on its way, or broke off with the process; `delivered`: its
 * content has left whole. Earlier versions wrote `doubted` for a delivery of which nobody knew the end.
 */
export const Claim = z.object({
  phase: z.enum(["settling", "paid", "delivering", "doubted", "delivered"]),
  /** The one resource that the payment opens, as a hash. */
  resource: z.string(),
  validBefore: z.string(),
  /** The price that it was checked against. */
  amount: z.string(),
  /** Joins repeated calls to the facilitator into one. */
  idempotencyKey: z.string(),
  settlement: SettleResponse.optional(),
  /** SHA-256 of the secret that its first presenter showed: whoever shows another, or none, gets nothing for it. */
  holder: z.string().optional(),
  /** Shows who pays, for what they bought before, and is never sent: `settlement` is that of the purchase. */
  isProof: z.boolean().optional(),
  /** How many of its deliveries broke off after something was sent. */
  broken: z.number().optional(),
  /** Whose delivery it was: what two processes write about the same payment is never the same. */
  delivery: z.string().optional(),
  /** New whenever a delivery was taken back: what was written about it and arrives late finds another claim. */
  fence: z.string().optional(),
});
export type Claim = z.infer<typeof Claim>;

/** The exclusive right to work on a payment, for this and every other process with the same store. */
export type Lease = { release(): Promise<void> };

export type Claims = {
  read(paymentId: string): Promise<Claim | null>;
  /** `null` while somebody else works on the payment; a process that dies loses it after some seconds. */
  lease(paymentId: string): Promise<Lease | null>;
  /** Lets one payment of a purchase through at a time, until its turn ends; `false` while another one has it. */
  takeTurn(purchase: string, paymentId: string, seconds: number): Promise<boolean>;
  /** Never rejects: a turn ends by itself too. */
  endTurn(purchase: string, paymentId: string): Promise<void>;
  /** The claim that is there, or else the new one. */
  open(paymentId: string, claim: Claim): Promise<Claim>;
  /** Moves a claim on; returns whether it still was what it was taken for. */
  change(paymentId: string, from: Claim, to: Claim): Promise<boolean>;
  /** Moves a claim on as soon as the store answers, if it still is what it was taken for then; never rejects. */
  insist(paymentId: string, from: Claim, to: Claim): Promise<void>;
  /** Undoes a change of which nobody knows whether it was made, as soon as the store answers; never rejects. */
  takeBack(paymentId: string, from: Claim, to: Claim): Promise<void>;
  /**
   * Lets go of a claim that was refused, after a while: a repeat of the same call that was held up on its way may still
   * have the payment settled, and its success is for the claim's key.
   */
  letGo(paymentId: string, claim: Claim): Promise<void>;
};

/** The store can't be reached; what went wrong is the `cause`. */
export class ClaimStoreError extends Error {
  override readonly name = "ClaimStoreError";
}

/** The claims in a store. All methods reject with ClaimStoreError when it can't be reached. */
export function createClaims(given: ClaimStore): Claims {
  const store = guardStore(given);
  const keyOf = (paymentId: string) => `x402:claim:${paymentId}`;
  const turnKeyOf = (purchase: string) => `x402:turn:${purchase}`;
  const leaseKeyOf = (paymentId: string) => `x402:lease:${paymentId}`;
  const read = async (paymentId: string) => {
    const text = await store.get(keyOf(paymentId));
    return text === null ? null : parse(text);
  };
  return {
    read,
    lease: (paymentId) => takeLease(store, leaseKeyOf(paymentId)),
    async takeTurn(purchase, paymentId, seconds) {
      const key = turnKeyOf(purchase);
      // Its own when it comes again, also to another process.
      return (
        (await store.setIfAbsent(key, paymentId, seconds)) ||
        (await store.replace(key, paymentId, paymentId, seconds))
      );
    },
    async endTurn(purchase, paymentId) {
      await store.deleteIf(turnKeyOf(purchase), paymentId).catch(() => false);
    },
    async open(paymentId, claim) {
      if (await store.setIfAbsent(keyOf(paymentId), serialise(claim), keepSecondsOf(claim))) return claim;
      return (await read(paymentId)) ?? claim;
    },
    async change(paymentId, from, to) {
      for (let tries = 1; ; tries++) {
        try {
          if (await store.replace(keyOf(paymentId), serialise(from), serialise(to), keepSecondsOf(to)))
            return true;
          // An earlier try whose answer was lost may have done it: only the holder of the lease writes.
          return tries > 1 && isSame(await read(paymentId), to);
        } catch (error) {
          if (tries >= MAX_TRIES) throw error;
        }
      }
    },
    insist: (paymentId, from, to) =>
      untilAnswered(() => store.replace(keyOf(paymentId), serialise(from), serialise(to), keepSecondsOf(to))),
    async takeBack(paymentId, from, to) {
      const fenced = serialise({ ...from, fence: crypto.randomUUID() });
      const undo = (made: Claim) =>
        store.replace(keyOf(paymentId), serialise(made), fenced, keepSecondsOf(from));
      await untilAnswered(async () => (await undo(to)) || undo(from));
    },
    async letGo(paymentId, claim) {
      const text = serialise(claim);
      await store.replace(keyOf(paymentId), text, text, KEEP_REFUSED_SECONDS);
    },
  };
}

/** The store with a limit of five seconds a call. All methods reject with ClaimStoreError when it can't be reached. */
export function guardStore(store: ClaimStore): ClaimStore {
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await answerWithin(TIMEOUT_MS, work);
    } catch (cause) {
      throw new ClaimStoreError("the claim store does not answer", { cause });
    }
  };
  return {
    get: (key) => guard(() => store.get(key)),
    setIfAbsent: (...given) => guard(() => store.setIfAbsent(...given)),
    replace: (...given) => guard(() => store.replace(...given)),
    deleteIf: (...given) => guard(() => store.deleteIf(...given)),
  };
}

function parse(text: string): Claim {
  try {
    return Claim.parse(JSON.parse(text));
  } catch (cause) {
    throw new ClaimStoreError("the claim store holds something else than a claim", { cause });
  }
}

/** Asks a store again and again until it answers, for a day at most. */
async function untilAnswered(ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < INSIST_TRIES; tries++) {
    try {
      await ask();
      return;
    } catch {
      await pause(Math.min(INSIST_AFTER_MS * 2 ** tries, INSIST_AFTER_MOST_MS));
    }
  }
}

/** Waits without keeping the process alive. */
const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref?.());

/** The same text for the same claim, whoever built it: keys come in the schema's order. */
const serialise = (claim: Claim) => JSON.stringify(Claim.parse(claim));

/** Whether they are one claim, or one delivery whatever was found out about it since. */
const isSame = (one: Claim | null, other: Claim) =>
  one !== null &&
  (serialise(one) === serialise(other) || (other.delivery !== undefined && one.delivery === other.delivery));
