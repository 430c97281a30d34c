import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { z } from "zod";
import { NO_MILS, parseMils, UNLIMITED } from "../../mils.ts";
import { SettleResponse } from "../types.ts";
import { type ClaimStore, ClaimStoreError, guardStore } from "./claims.ts";

/** Lets a paywall store purchases, so that no one pays twice for the same thing. */
export type AccessOptions<Request = unknown> = {
  /** The time for which a payer can return after a delivery: `"30d"`, `"12h"` or `"90m"`. */
  for: string;
  /**
   * Names the purchase if several addresses open the same thing (default: method and address). Required if
   * `amount` is a function, because one address can then stand for things of different prices. A purchase
   * opens nothing more expensive.
   */
  key?: string | ((request: Request) => string | Promise<string>);
  /**
   * Returns the account that a request authenticates, for instance by its session, or `null`. Without it,
   * accounts return only by a signature.
   */
  account?: (request: Request) => string | null | Promise<string | null>;
};

const Purchase = z.object({
  settlement: SettleResponse,
  /** The price, such as "0.050 HBD". */
  amount: z.string(),
  /** The time in ISO 8601. */
  paidAt: z.string(),
});
/** The receipt of a purchase. */
export type Purchase = z.infer<typeof Purchase>;

const unitSeconds: Record<string, number> = { m: 60, h: 3600, d: 86_400 };

/** Parses the time for which a purchase is stored, into seconds; `null` for any other text. */
export function readAccessSeconds(text: unknown): number | null {
  const [, count, unit = ""] = /^([1-9]\d{0,4})([mhd])$/.exec(String(text)) ?? [];
  return count === undefined ? null : Number(count) * (unitSeconds[unit] ?? 0);
}

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
