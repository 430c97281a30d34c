import { formatMils, toMils } from "../../../lib/mils.ts";
import type { TransferOffer } from "../../../lib/x402/client/index.ts";
import { CLAIMS, personHere } from "../_session/person.ts";
import { createKeptItems } from "../_ui/kept-items.ts";
import { isOnThisSite, type Target } from "./target.ts";

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
 * The time after its end for which a claim is stored. The server says when it buys and proves nothing any more, which ends
 * it earlier; this only limits the claims that no page presents. A device's clock may be wrong by as long as a certificate
 * is valid, and be set right before the claim is paid.
 */
const GOOD_MS = 400 * 86_400_000;

/** By this device's clock, without its later adjustments. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

const claims = createKeptItems<KeptClaim>({
  prefix: `${CLAIMS}.`,
  formerKey: CLAIMS,
  nameOf: ({ offer }) => offer.extra.claim,
  isGood,
  orderOf: ({ endsAtMs }) => endsAtMs,
  // The mark of an asked wallet takes no more room than its absence, so it can be stored even if the storage is full.
  complete: (claim) => ({ ...claim, isAsked: claim.isAsked === true }),
  mayMakeRoom: ({ endsAtMs }) => endsAtMs <= nowMs(),
});

/** Returns whether a stored value is a claim for this site that can still buy or prove a transfer. */
function isGood(kept: unknown): kept is KeptClaim {
  try {
    const { target, title, offer, endsAtMs } = kept as KeptClaim;
    const { claim, memo } = offer.extra;
    return (
      [title, offer.payTo, offer.amount, claim, memo].every((text) => typeof text === "string") &&
      /^\d{1,15}$/.test(offer.amount) &&
      Number.isFinite(endsAtMs) &&
      endsAtMs + GOOD_MS > nowMs() &&
      isOnThisSite(target)
    );
  } catch {
    return false;
  }
}

/** Returns the price of an offer in the form of other amounts, such as "0.050 HBD". */
export const amountOf = ({ amount }: TransferOffer): string => formatMils(toMils(Number(amount)));

/** Returns the current user's claims, oldest first. All pages of this browser share them. */
export const listClaims = (): KeptClaim[] =>
  claims.list().filter(({ person }) => person === null || person === personHere());

/** Returns the current user's claims for a target. */
export const claimsFor = ({ method, url }: Target): KeptClaim[] =>
  listClaims().filter(({ target }) => target.method === method && target.url === url);

/** Returns the claim for a target that can still be paid in time, so that no second one is shown for it. */
export function openClaimFor(target: Target): KeptClaim | undefined {
  const last = claimsFor(target).at(-1);
  return last && last.endsAtMs > nowMs() ? last : undefined;
}

/**
 * Stores the claim of an offer before its payer sees where to pay. If the storage is full, the claims that ended first make
 * room.
 */
export function keepClaim(target: Target, title: string, offer: TransferOffer): KeptClaim {
  const endsAtMs = nowMs() + offer.maxTimeoutSeconds * 1000;
  const claim = { target, title, offer, endsAtMs, person: personHere(), isAsked: false };
  claims.sweep();
  claims.keep(claim);
  return claim;
}

const findKept = (claim: KeptClaim) => claims.list().find((kept) => claims.isSame(kept, claim));

/** Returns whether a wallet of HiveAuth may have been asked, by any page of this browser, to send a claim's transfer. */
export const isClaimAsked = (claim: KeptClaim): boolean => findKept(claim)?.isAsked === true;

const writeAsked = (claim: KeptClaim, isAsked: boolean): void => {
  const found = findKept(claim);
  if (found) claims.keep({ ...found, isAsked });
};

/** Stores that a wallet may be asked now. Returns false if one may have been asked before, or the claim is not kept. */
export function markClaimAsked(claim: KeptClaim): boolean {
  if (isClaimAsked(claim)) return false;
  writeAsked(claim, true);
  return isClaimAsked(claim);
}

/** Stores that the wallet which was asked has sent nothing. */
export const unmarkClaimAsked = (claim: KeptClaim): void => writeAsked(claim, false);

/** Ends the time in which a claim is shown; it is still presented. */
export function endClaim(claim: KeptClaim): void {
  const found = findKept(claim);
  if (found && found.endsAtMs > nowMs()) claims.keep({ ...found, endsAtMs: nowMs() });
}

/** Forgets a claim that has bought its content, or can buy nothing any more. */
export const dropClaim = (claim: KeptClaim): void => claims.drop(claim);
