import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { z } from "zod";
import { NO_MILS, parseMils, UNLIMITED } from "../../mils.ts";
import { SettleResponse } from "../schemas.ts";
import { type ClaimStore, ClaimStoreError, guardStore } from "./claim-store.ts";

export const Purchase = z.object({
  settlement: SettleResponse,
  /** The price, such as "0.050 HBD". */
  amount: z.string(),
  /** The time in ISO 8601. */
  paidAt: z.string(),
});
/** The receipt of a purchase. */
export type Purchase = z.infer<typeof Purchase>;

/** Returns the store key of an account's purchase. */
export const purchaseKeyOf = (account: string, subject: string): string =>
  `x402:access:${bytesToHex(sha256(new TextEncoder().encode(`${account}\n${subject}`)))}`;

/**
 * Returns the subject of a purchase. It names a chain (by the first of its names), so that test money opens
 * no content of another chain.
 */
export const subjectOf = ([chain]: readonly string[], bought: string) => `${chain} ${bought}`;

/**
 * Returns an account's purchase of a subject (from `subjectOf`), for instance to mark it in a list, or
 * `null`.
 * @throws ClaimStoreError if the store cannot be reached
 */
export async function findPurchase(
  store: ClaimStore,
  account: string,
  subject: string,
): Promise<Purchase | null> {
  const text = await guardStore(store).get(purchaseKeyOf(account, subject));
  return text === null ? null : readPurchase(text);
}

function readPurchase(text: string): Purchase {
  try {
    return Purchase.parse(JSON.parse(text));
  } catch (cause) {
    throw new ClaimStoreError("the store returned something other than a purchase", { cause });
  }
}

/**
 * Returns an account's purchase of a subject, unless the price is now more than was paid. @throws
 * ClaimStoreError
 */
export async function findCovering(
  store: ClaimStore,
  account: string,
  { subject, price }: { subject: string; price: string },
): Promise<Purchase | null> {
  const purchase = await findPurchase(store, account, subject);
  return purchase && isAtMost(price, purchase.amount) ? purchase : null;
}

/** Returns whether a price is no more than another, both in the form "0.050 HBD". */
const isAtMost = (price: string, limit: string): boolean =>
  (parseMils(price) ?? UNLIMITED) <= (parseMils(limit) ?? NO_MILS);

/**
 * Stores a purchase, in place of an earlier one of the same subject unless that cost more. @throws
 * ClaimStoreError if the purchase may not have been stored
 */
export async function keepPurchase(
  store: ClaimStore,
  {
    account,
    subject,
    seconds,
    purchase,
  }: { account: string; subject: string; seconds: number; purchase: Purchase },
): Promise<void> {
  const guarded = guardStore(store);
  const key = purchaseKeyOf(account, subject);
  const text = JSON.stringify(purchase);
  for (let tries = 0; tries < 3; tries++) {
    const present = await guarded.get(key);
    if (present !== null && !isAtMost(readPurchase(present).amount, purchase.amount)) return;
    if (
      present === null
        ? await guarded.setIfAbsent(key, text, seconds)
        : await guarded.replace(key, present, text, seconds)
    )
      return;
  }
  throw new ClaimStoreError("the purchase changed in the meantime");
}

/** Removes the purchase under a key, if it is by this transfer. @throws ClaimStoreError */
export async function forgetPurchase(
  store: ClaimStore,
  key: string,
  txId: string | undefined,
): Promise<void> {
  const guarded = guardStore(store);
  const text = await guarded.get(key);
  if (text !== null && readPurchase(text).settlement.txId === txId) await guarded.deleteIf(key, text);
}
