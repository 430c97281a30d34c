import type { TransferOffer } from "../../types.ts";
import { readStored, store } from "./stored.ts";

/** An offer whose claim may be paid, and its end, in ms since 1970 by this device. */
export type KeptClaim = { offer: TransferOffer; endsAtMs: number };

/**
 * The time after its end for which a claim is presented. It opens the page for a day; after that, the seller learns by it
 * that its transfer is owed back, for 30 days.
 */
const GOOD_MS = 29 * 86_400_000;
const MOST_CLAIMS = 10;
const PREFIX = "x402-claims:";

/** The claims that the browser does not store. */
let unstored: readonly KeptClaim[] = [];

/** By this device's clock, without its later adjustments. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

const keyOf = (address: string) => {
  const { pathname, search } = new URL(address);
  return PREFIX + pathname + search;
};

/** Returns the claims of an address, which all pages of this browser share, oldest first. */
export function readClaims(address: string = location.href): readonly KeptClaim[] {
  let stored: unknown;
  try {
    stored = JSON.parse(readStored(keyOf(address)) ?? "[]");
  } catch {
    stored = [];
  }
  const claims = Array.isArray(stored) ? (stored as KeptClaim[]) : [];
  return [...claims, ...unstored].filter(isGood);
}

const isGood = (kept: KeptClaim | null): boolean =>
  typeof kept?.offer?.extra?.claim === "string" && kept.endsAtMs + GOOD_MS > nowMs();

const writeClaims = (claims: readonly KeptClaim[]) => {
  const kept = claims.slice(-MOST_CLAIMS);
  unstored = store(keyOf(location.href), kept.length > 0 ? kept : null) ? [] : kept;
};

/** Stores the claim of an offer before its payer sees where to pay, and returns it. */
export function keepClaim(offer: TransferOffer): KeptClaim {
  const claim = { offer, endsAtMs: nowMs() + offer.maxTimeoutSeconds * 1000 };
  writeClaims([...readClaims(), claim]);
  return claim;
}

/** Forgets a claim that has bought the content, or can buy nothing any more. */
export function dropClaim({ offer }: KeptClaim): void {
  writeClaims(readClaims().filter((kept) => kept.offer.extra.claim !== offer.extra.claim));
}
