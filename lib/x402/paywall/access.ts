import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { z } from "zod";
import { parseMillis } from "../amount.ts";
import { SettleResponse } from "../types.ts";
import { type ClaimStore, ClaimStoreError, guardStore } from "./claims.ts";

/** What a paywall remembers, so that nobody pays twice for the same. */
export type AccessOptions<Request = unknown> = {
  /** How long a payer may come back after a delivery: `"30d"`, `"12h"` or `"90m"`. */
  for: string;
  /**
   * Names what was bought, where several addresses open the same; by default it is method and address. Needed where
   * `amount` is a function: one address may then stand for things of different prices. A purchase opens nothing dearer.
   */
  key?: string | ((request: Request) => string | Promise<string>);
  /** The account that a request proves to come from, by its session, say; `null` for none. */
  account: (request: Request) => string | null | Promise<string | null>;
};

const Purchase = z.object({
  settlement: SettleResponse,
  /** Such as "0.050 HBD". */
  amount: z.string(),
  /** ISO 8601. */
  paidAt: z.string(),
});
/** What somebody paid for once: the receipt of it. */
export type Purchase = z.infer<typeof Purchase>;

const unitSeconds: Record<string, number> = { m: 60, h: 3600, d: 86_400 };

/** Reads how long a purchase is remembered, in seconds; `null` for what is no such text. */
export function readAccessSeconds(text: unknown): number | null {
  const [, count, unit = ""] = /^([1-9]\d{0,4})([mhd])$/.exec(String(text)) ?? [];
  return count === undefined ? null : Number(count) * (unitSeconds[unit] ?? 0);
}

/** The key of what an account buys, in the store. */
export const purchaseKeyOf = (account: string, subject: string): string =>
  `x402:access:${bytesToHex(sha256(new TextEncoder().encode(`${account}\n${subject}`)))}`;

/** What is bought is bought on one chain, which `networks` names, the usual name first: test money buys no content of another. */
export const subjectOf = ([chain]: readonly string[], bought: string) => `${chain} ${bought}`;

/**
 * What an account has bought as the `subject` of a chain and a key, for a list that marks it; `null` for what it has not.
 * @throws ClaimStoreError when the store can't be asked.
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
    throw new ClaimStoreError("the store holds something else than a purchase", { cause });
  }
}

/** Returns whether a price is at most another; each such as "0.050 HBD". */
export const isAtMost = (price: string, limit: string): boolean =>
  (parseMillis(price) ?? Number.POSITIVE_INFINITY) <= (parseMillis(limit) ?? 0);

/** Remembers a purchase; a later one of the same takes its place, unless less was paid for it. @throws ClaimStoreError when it may not be remembered */
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
  throw new ClaimStoreError("the purchase changed meanwhile");
}
