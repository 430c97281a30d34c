import { formatMils, toMils } from "../../../lib/mils.ts";
import type { TransferOffer } from "../../../lib/x402/client/index.ts";
import { CLAIMS, personHere } from "../_session/person.ts";
import { isTextKept, keepText, keptKeys, readKept, readText } from "../_ui/kept-text.ts";
import type { Target } from "./pay.ts";

/** The claim of an offer that may be paid by a sent transfer. */
export type KeptClaim = {
  target: Target;
  title: string;
  offer: TransferOffer;
  /** The end of the offer, in ms since 1970 by this device. */
  endsAtMs: number;
  /** The user who was signed in, to whom alone the claim is shown; null if no one was. */
  person: string | null;
  /** True once a wallet of HiveAuth may have been asked to send the transfer. */
  isAsked?: boolean;
};

/**
 * The time after its end for which a claim is presented. It buys for a day; after that, the seller learns by it that its
 * transfer is owed back, for 30 days.
 */
const GOOD_MS = 29 * 86_400_000;

/** By this device's clock, without its later adjustments. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/** Each claim has a key of its own, so that pages which write at once lose none. */
const keyOf = ({ offer }: KeptClaim) => `${CLAIMS}.${offer.extra.claim}`;

const storedKeys = () => keptKeys().filter((key) => key.startsWith(`${CLAIMS}.`));

function readClaim(key: string): KeptClaim | null {
  const kept = readKept(key);
  return isGood(kept) && keyOf(kept) === key ? kept : null;
}

function readAll(): KeptClaim[] {
  const claims = new Map(moveFormer().map((kept) => [keyOf(kept), kept]));
  for (const key of storedKeys()) {
    const kept = readClaim(key);
    if (kept) claims.set(key, kept);
  }
  return [...claims.values()].sort((one, other) => one.endsAtMs - other.endsAtMs);
}

/**
 * Returns whether a stored value is a claim that can still buy or prove a transfer, and is meant for this site; it is
 * sent nowhere else.
 */
function isGood(kept: unknown): kept is KeptClaim {
  try {
    const { target, title, offer, endsAtMs } = kept as KeptClaim;
    const { claim, memo } = offer.extra;
    return (
      ["GET", "POST"].includes(target.method) &&
      [target.url, title, offer.payTo, offer.amount, claim, memo].every((text) => typeof text === "string") &&
      /^\d{1,15}$/.test(offer.amount) &&
      Number.isFinite(endsAtMs) &&
      endsAtMs + GOOD_MS > nowMs() &&
      new URL(target.url, location.href).origin === location.origin
    );
  } catch {
    return false;
  }
}

/** Moves each claim of a former version's list to a key of its own, and returns those for which there is no room. */
function moveFormer(): KeptClaim[] {
  if (readText(CLAIMS) === null) return [];
  const list = readKept(CLAIMS);
  const unmoved = (Array.isArray(list) ? list : []).filter(isGood).filter((kept) => !isMoved(kept));
  keepFormer(unmoved);
  return unmoved;
}

function keepFormer(claims: readonly KeptClaim[]): void {
  const text = claims.length > 0 ? JSON.stringify(claims) : null;
  if (readText(CLAIMS) !== text) keepText(CLAIMS, text);
}

function isMoved(kept: KeptClaim): boolean {
  const key = keyOf(kept);
  if (readText(key) !== null) return isTextKept(key);
  if (keepText(key, JSON.stringify({ ...kept, isAsked: kept.isAsked === true }))) return true;
  keepText(key, null);
  return false;
}

/** Removes the claims that can do nothing any more, and values that are none. */
function sweep(): void {
  for (const key of storedKeys()) if (!readClaim(key)) keepText(key, null);
}

/**
 * Stores a claim. If the storage is full, the claims that ended first give way; if that is not enough, the claim lasts as
 * long as the page.
 */
function storeClaim(claim: KeptClaim): void {
  const key = keyOf(claim);
  const text = JSON.stringify(claim);
  if (keepText(key, text)) return;
  for (const other of readAll()) {
    const name = keyOf(other);
    if (name === key || other.endsAtMs > nowMs() || !isTextKept(name)) continue;
    dropClaim(other);
    if (keepText(key, text)) return;
  }
}

/** Returns the price of an offer in the form of other amounts, such as "0.050 HBD". */
export const amountOf = ({ amount }: TransferOffer): string => formatMils(toMils(Number(amount)));

/** Returns the current user's claims, oldest first. All pages of this browser share them. */
export const listClaims = (): KeptClaim[] =>
  readAll().filter(({ person }) => person === null || person === personHere());

/** Returns the current user's claims for a target. */
export const claimsFor = ({ method, url }: Target): KeptClaim[] =>
  listClaims().filter(({ target }) => target.method === method && target.url === url);

/** Returns the claim for a target that can still be paid in time, so that no second one is shown for it. */
export function openClaimFor(target: Target): KeptClaim | undefined {
  const last = claimsFor(target).at(-1);
  return last && last.endsAtMs > nowMs() ? last : undefined;
}

/** Stores the claim of an offer before its payer sees where to pay. */
export function keepClaim(target: Target, title: string, offer: TransferOffer): KeptClaim {
  const endsAtMs = nowMs() + offer.maxTimeoutSeconds * 1000;
  // The mark of an asked wallet takes no more room than its absence, so it can be stored even if the storage is full.
  const claim = { target, title, offer, endsAtMs, person: personHere(), isAsked: false };
  sweep();
  storeClaim(claim);
  return claim;
}

const isSame = (one: KeptClaim, other: KeptClaim) => keyOf(one) === keyOf(other);

/** Returns whether a wallet of HiveAuth may have been asked, by any page of this browser, to send a claim's transfer. */
export const isClaimAsked = (claim: KeptClaim): boolean =>
  readAll().some((kept) => isSame(kept, claim) && kept.isAsked === true);

const writeAsked = (claim: KeptClaim, isAsked: boolean): void => {
  const found = readAll().find((kept) => isSame(kept, claim));
  if (found) storeClaim({ ...found, isAsked });
};

/** Stores that a wallet may be asked now. Returns false if one may have been asked before, or the claim is not kept. */
export function markClaimAsked(claim: KeptClaim): boolean {
  if (isClaimAsked(claim)) return false;
  writeAsked(claim, true);
  return isClaimAsked(claim);
}

/** Stores that the wallet which was asked has sent nothing. */
export const unmarkClaimAsked = (claim: KeptClaim): void => writeAsked(claim, false);

/** Forgets a claim that has bought its content, or can buy nothing any more. */
export const dropClaim = (claim: KeptClaim): void => {
  keepFormer(moveFormer().filter((kept) => !isSame(kept, claim)));
  keepText(keyOf(claim), null);
};
