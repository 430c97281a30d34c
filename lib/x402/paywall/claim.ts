import { z } from "zod";
import { SettleResponse } from "../schemas.ts";

/**
 * Longer than any facilitator stores payments, so that no delivery is forgotten before its payment is
 * worthless.
 */
export const KEEP_SECONDS = 30 * 24 * 3600;
/**
 * Longer than a facilitator stores a payment for the key that reserved it, because a refused payment may have
 * got into a block.
 */
export const KEEP_REFUSED_SECONDS = 25 * 3600;
/** Shorter, because a proof is worthless once its transfer has expired or got into a block. */
const KEEP_PROOF_SECONDS = KEEP_REFUSED_SECONDS;

/**
 * The state of a payment at this paywall. `delivering`: its content is being sent, or was when the process
 * died; `delivered`: all of its content was sent; `refunded`: the seller has paid it back, and it opens nothing any more.
 * Earlier versions wrote `doubted` for a delivery with an unknown end.
 */
export const Claim = z.object({
  phase: z.enum(["settling", "paid", "delivering", "doubted", "delivered", "refunded"]),
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
  /**
   * Renewed whenever a delivery is reverted, or a transfer that may settle the claim is paid back, so that a late write
   * finds another claim.
   */
  fence: z.string().optional(),
  /** The store key of the purchase that its payer makes with it. */
  purchaseKey: z.string().optional(),
});
export type Claim = z.infer<typeof Claim>;

/** Returns the store key of a payment's claim; the id of a sent transfer's is its memo. */
export const claimKeyOf = (paymentId: string): string => `x402:claim:${paymentId}`;

/** Returns the store key of the lease of a payment. */
export const leaseKeyOf = (paymentId: string): string => `x402:lease:${paymentId}`;

/** Returns how long a claim is stored. */
export const keepSecondsOf = ({ isProof }: Claim) => (isProof ? KEEP_PROOF_SECONDS : KEEP_SECONDS);

/**
 * Returns the same text for equal claims, whatever created them, because the keys are in the schema's order.
 */
export const serialise = (claim: Claim) => JSON.stringify(Claim.parse(claim));
