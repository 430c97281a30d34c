import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { z } from "zod";
import { parseMillis } from "../amount.ts";
import { SettleResponse } from "../types.ts";
import { type ClaimStore, ClaimStoreError, guardStore } from "./claims.ts";

/** Lets a paywall store purchases, so that no one pays twice for the same thing. */
export type AccessOptions<Request = unknown> = {
  /** The time within which a payer may return after a delivery: `"30d"`, `"12h"` or `"90m"`. */
  for: string;
  /**
   * Names the purchase if several addresses open the same thing; by default it is method and address. Required if
   * `amount` is a function, because one address may then stand for things of different prices. A purchase opens nothing
   * more expensive.
   */
  key?: string | ((request: Request) => string | Promise<string>);
  /** Returns the account that a request authenticates, for instance by its session, or `null`. */
  account: (request: Request) => string | null | Promise<string | null>;
};

const Purchase = z.object({
  settlement: SettleResponse,
  /** Such as "0.050 HBD". */
  amount: z.string(),
  /** ISO 8601. */
  paidAt: z.string(),
});
/** The receipt of a purchase. */
export type Purchase = z.infer<typeof Purchase>;

const unitSeconds: Record<string, number> = { m: 60, h: 3600, d: 86_400 };

/** Parses how long a purchase is stored, in seconds; `null` for any other text. */
export function readAccessSeconds(text: unknown): number | null {
  const [, count, unit = ""] = /^([1-9]\d{0,4})([mhd])$/.exec(String(text)) ?? [];
  return count === undefined ? null : Number(count) * (unitSeconds[unit] ?? 0);
}

/** Returns the store key of an account's purchase. */
export const purchaseKeyOf = (account: string, subject: string): string =>
  `x402:access:${bytesToHex(sha256(new TextEncoder().encode(`${account}\n${subject}`)))}`;

/**
 * A purchase is tied to one chain, which `networks` names, the usual name first: test money opens no content of another
 * chain.
 */
export const subjectOf = ([chain]: readonly string[], bought: string) => `${chain} ${bought}`;

/**
 * Returns an account's purchase of the `subject` of a chain and a key, for instance to mark it in a list, or `null`.
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
 * Returns an account's purchase of a subject, unless the price is more than was paid for it. @throws ClaimStoreError
 */
export async function findCovering(
  store: ClaimStore,
  account: string,
  { subject, price }: { subject: string; price: string },
): Promise<Purchase | null> {
  const purchase = await findPurchase(store, account, subject);
  return purchase && isAtMost(price, purchase.amount) ? purchase : null;
}

/** Returns whether a price is at most another, both in the form "0.050 HBD". */
const isAtMost = (price: string, limit: string): boolean =>
  (parseMillis(price) ?? Number.POSITIVE_INFINITY) <= (parseMillis(limit) ?? 0);

/**
 * Stores a purchase. A later one of the same replaces it, unless less was paid for that. @throws ClaimStoreError if it
 * may not have been stored
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
