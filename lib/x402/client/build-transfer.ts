import { formatMils } from "../../mils.ts";
import { memoOf } from "../header.ts";
import type { Offer } from "./choose-offer.ts";
import type { Head } from "./find-head.ts";
import { PaymentError } from "./payment-error.ts";

/** The minimum time that a facilitator needs to get the transfer into a block. */
export const LEAST_LIFE_MS = 9000;

/** A transfer in the chain's JSON, as a wallet's "sign transaction" accepts it. */
export type UnsignedTransfer = {
  ref_block_num: number;
  ref_block_prefix: number;
  expiration: string;
  operations: [["transfer", { from: string; to: string; amount: string; memo: string }]];
  extensions: [];
};

/**
 * Builds the transfer that pays `offer`. It expires `lifeMs` after the chain's time, but no later than the
 * offer.
 * @throws PaymentError `offer_expired`
 */
export function buildTransfer(
  account: string,
  offer: Pick<Offer, "payTo" | "amountMils" | "validBeforeMs" | "nonce"> & { maxLifeMs?: number },
  head: Head,
  lifeMs: number,
): { transfer: UnsignedTransfer; nonce: string } {
  const { maxLifeMs = Number.POSITIVE_INFINITY, validBeforeMs } = offer;
  const expirationMs = Math.min(head.timeMs + Math.min(lifeMs, maxLifeMs), validBeforeMs);
  if (expirationMs < head.timeMs + LEAST_LIFE_MS)
    throw new PaymentError("offer_expired", "The offer is no longer valid by the chain's clock.");
  const nonce = offer.nonce ?? randomNonce();
  return {
    nonce,
    transfer: {
      ref_block_num: head.refBlockNum,
      ref_block_prefix: head.refBlockPrefix,
      expiration: new Date(expirationMs).toISOString().slice(0, 19),
      operations: [
        [
          "transfer",
          { from: account, to: offer.payTo, amount: formatMils(offer.amountMils), memo: memoOf(nonce) },
        ],
      ],
      extensions: [],
    },
  };
}

function randomNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
