import { takeLease } from "../../store/lease.ts";
import { Claim, claimKeyOf, KEEP_REFUSED_SECONDS, keepSecondsOf, leaseKeyOf, serialise } from "./claim.ts";
import { type ClaimStore, ClaimStoreError, guardStore } from "./claim-store.ts";

const MAX_TRIES = 3;
const INSIST_AFTER_MS = 1000;
const INSIST_AFTER_MOST_MS = 30_000;
/** A day of attempts. */
const INSIST_TRIES = 2880;

/** The exclusive right to work on a payment, among all processes on the same store. */
export type Lease = { release(): Promise<void> };

export type Claims = {
  read(paymentId: string): Promise<Claim | null>;
  /**
   * Returns `null` while another process works on the payment. A process that dies loses the lease after some
   * seconds.
   */
  lease(paymentId: string): Promise<Lease | null>;
  /**
   * Admits one payment of a purchase at a time, until its turn ends; `false` while another payment has the
   * turn.
   */
  takeTurn(purchase: string, paymentId: string, seconds: number): Promise<boolean>;
  /** Ends the turn. Never rejects, because a turn also expires on its own. */
  endTurn(purchase: string, paymentId: string): Promise<void>;
  /** Returns the existing claim, or stores the new one. */
  open(paymentId: string, claim: Claim): Promise<Claim>;
  /** Replaces a claim. Returns whether it still had the expected value. */
  change(paymentId: string, from: Claim, to: Claim): Promise<boolean>;
  /** Replaces a claim, if it still has the expected value, as soon as the store answers. Never rejects. */
  insist(paymentId: string, from: Claim, to: Claim): Promise<void>;
  /** Reverts a change that may or may not have been made, as soon as the store answers. Never rejects. */
  takeBack(paymentId: string, from: Claim, to: Claim): Promise<void>;
  /**
   * Removes a refused claim after a while, because a delayed repeat of the same call can still settle the
   * payment, and its success belongs to the claim's key.
   */
  letGo(paymentId: string, claim: Claim): Promise<void>;
};

/**
 * Creates the claims in a store. Methods reject with ClaimStoreError if it cannot be reached, unless they say
 * otherwise.
 */
export function createClaims(given: ClaimStore): Claims {
  const store = guardStore(given);
  const turnKeyOf = (purchase: string) => `x402:turn:${purchase}`;
  const read = async (paymentId: string) => {
    const text = await store.get(claimKeyOf(paymentId));
    return text === null ? null : parse(text);
  };
  return {
    read,
    lease: (paymentId) => takeLease(store, leaseKeyOf(paymentId)),
    async takeTurn(purchase, paymentId, seconds) {
      const key = turnKeyOf(purchase);
      // A retry of the same payment keeps its turn, in any process.
      return (
        (await store.setIfAbsent(key, paymentId, seconds)) ||
        (await store.replace(key, paymentId, paymentId, seconds))
      );
    },
    async endTurn(purchase, paymentId) {
      await store.deleteIf(turnKeyOf(purchase), paymentId).catch(() => false);
    },
    async open(paymentId, claim) {
      if (await store.setIfAbsent(claimKeyOf(paymentId), serialise(claim), keepSecondsOf(claim)))
        return claim;
      return (await read(paymentId)) ?? claim;
    },
    async change(paymentId, from, to) {
      for (let tries = 1; ; tries++) {
        try {
          if (await store.replace(claimKeyOf(paymentId), serialise(from), serialise(to), keepSecondsOf(to)))
            return true;
          // An earlier attempt whose answer was lost may have written this value, because only the holder of
          // the lease writes.
          return tries > 1 && isSame(await read(paymentId), to);
        } catch (error) {
          if (tries >= MAX_TRIES) throw error;
        }
      }
    },
    insist: (paymentId, from, to) =>
      untilAnswered(() =>
        store.replace(claimKeyOf(paymentId), serialise(from), serialise(to), keepSecondsOf(to)),
      ),
    async takeBack(paymentId, from, to) {
      const fenced = serialise({ ...from, fence: crypto.randomUUID() });
      const undo = (made: Claim) =>
        store.replace(claimKeyOf(paymentId), serialise(made), fenced, keepSecondsOf(from));
      await untilAnswered(async () => (await undo(to)) || undo(from));
    },
    async letGo(paymentId, claim) {
      const text = serialise(claim);
      await store.replace(claimKeyOf(paymentId), text, text, KEEP_REFUSED_SECONDS);
    },
  };
}

function parse(text: string): Claim {
  try {
    return Claim.parse(JSON.parse(text));
  } catch (cause) {
    throw new ClaimStoreError("the claim store returned something other than a claim", { cause });
  }
}

/** Repeats a call to a store until it answers, for up to a day. */
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

/** Returns whether both are the same claim, or the same delivery regardless of facts learned since. */
const isSame = (one: Claim | null, other: Claim) =>
  one !== null &&
  (serialise(one) === serialise(other) || (other.delivery !== undefined && one.delivery === other.delivery));
