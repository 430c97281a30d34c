import { z } from "zod";
import { takeLease } from "../../store/lease.ts";
import { SettleResponse } from "../schemas.ts";
import { type ClaimStore, ClaimStoreError, guardStore } from "./claim-store.ts";

/**
 * Longer than any facilitator stores payments, so that no delivery is forgotten before its payment is
 * worthless.
 */
const KEEP_SECONDS = 30 * 24 * 3600;
/**
 * Longer than a facilitator stores a payment for the key that reserved it, because a refused payment may have
 * got into a block.
 */
const KEEP_REFUSED_SECONDS = 25 * 3600;
/** Shorter, because a proof is worthless once its transfer has expired or got into a block. */
const KEEP_PROOF_SECONDS = KEEP_REFUSED_SECONDS;
const keepSecondsOf = ({ isProof }: Claim) => (isProof ? KEEP_PROOF_SECONDS : KEEP_SECONDS);
const MAX_TRIES = 3;
const INSIST_AFTER_MS = 1000;
const INSIST_AFTER_MOST_MS = 30_000;
/** A day of attempts. */
const INSIST_TRIES = 2880;

/**
 * The state of a payment at this paywall. `delivering`: its content is being sent, or was when the process
 * died; `delivered`: all of its content was sent. Earlier versions wrote `doubted` for a delivery with an
 * unknown end.
 */
export const Claim = z.object({
  phase: z.enum(["settling", "paid", "delivering", "doubted", "delivered"]),
  /** The only resource that the payment opens, as a hash. */
  resource: z.string(),
  validBefore: z.string(),
  /** The price against which it was checked. */
  amount: z.string(),
  /** The idempotency key, which joins repeated calls to the facilitator into one. */
  idempotencyKey: z.string(),
  settlement: SettleResponse.optional(),
  /** The payer of a sent transfer, which its ticket does not name. */
  payer: z.string().optional(),
  /**
   * SHA-256 of the secret that was presented first: requests with another secret or none get nothing for the
   * payment.
   */
  holder: z.string().optional(),
  /**
   * True if the payment only proves the payer of an earlier purchase and is never sent; `settlement` is then
   * that of the purchase.
   */
  isProof: z.boolean().optional(),
  /** The number of the payment's deliveries that broke off after some content was sent. */
  broken: z.number().optional(),
  /** Identifies the delivery, so that two processes never write the same text for one payment. */
  delivery: z.string().optional(),
  /** Renewed whenever a delivery is reverted, so that a late write about that delivery finds another claim. */
  fence: z.string().optional(),
});
export type Claim = z.infer<typeof Claim>;

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
      if (await store.setIfAbsent(keyOf(paymentId), serialise(claim), keepSecondsOf(claim))) return claim;
      return (await read(paymentId)) ?? claim;
    },
    async change(paymentId, from, to) {
      for (let tries = 1; ; tries++) {
        try {
          if (await store.replace(keyOf(paymentId), serialise(from), serialise(to), keepSecondsOf(to)))
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

/**
 * Returns the same text for equal claims, whatever created them, because the keys are in the schema's order.
 */
const serialise = (claim: Claim) => JSON.stringify(Claim.parse(claim));

/** Returns whether both are the same claim, or the same delivery regardless of facts learned since. */
const isSame = (one: Claim | null, other: Claim) =>
  one !== null &&
  (serialise(one) === serialise(other) || (other.delivery !== undefined && one.delivery === other.delivery));
