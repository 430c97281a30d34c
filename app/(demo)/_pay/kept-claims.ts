import { formatMils, toMils } from "../../../lib/mils.ts";
import type { TransferOffer } from "../../../lib/x402/client/index.ts";
import { CLAIMS, personHere } from "../_session/person.ts";
import { keepText, readKept } from "../_ui/kept-text.ts";
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
const MOST_KEPT = 20;

/** By this device's clock, without its later adjustments. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

const readAll = (): KeptClaim[] => {
  const kept = readKept(CLAIMS);
  return Array.isArray(kept)
    ? kept.filter(isWhole).filter(({ endsAtMs }) => endsAtMs + GOOD_MS > nowMs())
    : [];
};

/** Returns whether a stored claim is readable and meant for this site; it is sent nowhere else. */
function isWhole(kept: KeptClaim | null): boolean {
  try {
    const { target, title, offer, endsAtMs } = kept as KeptClaim;
    const { claim, memo } = offer.extra;
    return (
      ["GET", "POST"].includes(target.method) &&
      [target.url, title, offer.payTo, offer.amount, claim, memo].every((text) => typeof text === "string") &&
      Number.isSafeInteger(Number(offer.amount)) &&
      Number.isFinite(endsAtMs) &&
      new URL(target.url, location.href).origin === location.origin
    );
  } catch {
    return false;
  }
}

const writeAll = (claims: readonly KeptClaim[]) =>
  keepText(CLAIMS, claims.length > 0 ? JSON.stringify(claims.slice(-MOST_KEPT)) : null);

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
  const claim = { target, title, offer, endsAtMs, person: personHere() };
  writeAll([...readAll(), claim]);
  return claim;
}

const isSame = (one: KeptClaim, other: KeptClaim) => one.offer.extra.claim === other.offer.extra.claim;

/** Returns whether a wallet of HiveAuth may have been asked, by any page of this browser, to send a claim's transfer. */
export const isClaimAsked = (claim: KeptClaim): boolean =>
  readAll().some((kept) => isSame(kept, claim) && kept.isAsked === true);

const writeAsked = (claim: KeptClaim, isAsked: boolean): void => {
  writeAll(readAll().map((kept) => (isSame(kept, claim) ? { ...kept, isAsked } : kept)));
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
  writeAll(readAll().filter((kept) => !isSame(kept, claim)));
};
