import type { TransferOffer } from "../../types.ts";
import { readStored, store, storedKeys } from "./stored.ts";

/** An offer whose claim may be paid, and its end, in ms since 1970 by this device. */
export type KeptClaim = { offer: TransferOffer; endsAtMs: number };

/**
 * The time after its end for which a claim is stored. The server says when it buys and proves nothing any more, which ends
 * it earlier; this only limits the claims that no page presents. A device's clock may be wrong by as long as a certificate
 * is valid, and be set right before the claim is paid.
 */
const GOOD_MS = 400 * 86_400_000;
const PREFIX = "x402-claims:";

/** The claims that the browser does not store, by key. */
const unstored = new Map<string, KeptClaim>();

/** By this device's clock, without its later adjustments. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/** Returns the part of the keys of an address that names it. It contains no "#". */
export const placeOf = (address: string): string => {
  const { pathname, search } = new URL(address);
  return pathname + search;
};

/** Returns the start of the keys of an address's claims. Former versions stored a list of them under it. */
const startOf = (address: string) => PREFIX + placeOf(address);

/** Returns whether the end of an offer or payment is not long past. */
export const isOfGoodTime = (endMs: number): boolean => endMs + GOOD_MS > nowMs();

/** Each claim has a key of its own, so that pages which write at once lose none. */
const keyOf = (place: string, { offer }: KeptClaim) => `${place}#${offer.extra.claim}`;

/** Returns the claims of an address, which all pages of this browser share, oldest first. */
export function readClaims(address: string = location.href): readonly KeptClaim[] {
  const place = startOf(address);
  const former = moveFormer(place);
  const held = [...unstored].flatMap(([key, kept]) => (key.startsWith(`${place}#`) ? [kept] : []));
  return [...former, ...readAll(`${place}#`).values(), ...held].filter(isGood).sort(byEnd);
}

const byEnd = (one: KeptClaim, other: KeptClaim) => one.endsAtMs - other.endsAtMs;

/** Returns the stored claims whose keys start with a prefix, by key. */
function readAll(prefix: string): Map<string, KeptClaim> {
  const claims = new Map<string, KeptClaim>();
  for (const key of storedKeys()) {
    const kept = key.startsWith(prefix) ? readClaim(key) : null;
    if (kept) claims.set(key, kept);
  }
  return claims;
}

function readClaim(key: string): KeptClaim | null {
  const kept = readValue(key);
  return isGood(kept) && key.endsWith(keyOf("", kept)) ? kept : null;
}

function readValue(key: string): unknown {
  try {
    return JSON.parse(readStored(key) ?? "null");
  } catch {
    return null;
  }
}

/** Returns whether a stored value is a claim that can still open a page or prove a transfer. */
function isGood(kept: unknown): kept is KeptClaim {
  const { offer, endsAtMs } = (kept ?? {}) as Partial<KeptClaim>;
  const { claim, memo } = offer?.extra ?? {};
  return (
    [offer?.payTo, offer?.amount, claim, memo].every((text) => typeof text === "string") &&
    /^\d{1,15}$/.test(offer?.amount ?? "") &&
    typeof endsAtMs === "number" &&
    isOfGoodTime(endsAtMs)
  );
}

/** Moves each claim of a former version's list to a key of its own, and returns those for which there is no room. */
function moveFormer(place: string): KeptClaim[] {
  if (readStored(place) === null) return [];
  const list = readValue(place);
  const unmoved = (Array.isArray(list) ? list : []).filter(isGood).filter((kept) => {
    const key = keyOf(place, kept);
    return readStored(key) === null && !store(key, kept);
  });
  storeFormer(place, unmoved);
  return unmoved;
}

function storeFormer(place: string, claims: readonly KeptClaim[]): void {
  const isKept = claims.length > 0;
  if (!isKept || readStored(place) !== JSON.stringify(claims)) store(place, isKept ? claims : null);
}

/** Removes the claims of all addresses that can do nothing any more, and values that are none. */
function sweep(): void {
  for (const key of storedKeys()) {
    if (!key.startsWith(PREFIX)) continue;
    if (!key.includes("#")) moveFormer(key);
    else if (!readClaim(key)) store(key, null);
  }
}

/** Stores a value, and returns whether there is room. If the storage is full, the claims that ended first give way. */
export function storeWithRoom(key: string, value: unknown): boolean {
  if (store(key, value)) return true;
  const ended = [...readAll(PREFIX)].filter(([, { endsAtMs }]) => endsAtMs <= nowMs());
  return ended
    .sort(([, one], [, other]) => byEnd(one, other))
    .some(([former]) => store(former, null) && store(key, value));
}

/** Stores the claim of an offer before its payer sees where to pay, and returns it. */
export function keepClaim(offer: TransferOffer): KeptClaim {
  const claim = { offer, endsAtMs: nowMs() + offer.maxTimeoutSeconds * 1000 };
  const key = keyOf(startOf(location.href), claim);
  sweep();
  if (!storeWithRoom(key, claim)) unstored.set(key, claim);
  return claim;
}

/** Ends the time in which a claim is shown; it is still presented. */
export function endClaim(claim: KeptClaim): void {
  if (claim.endsAtMs <= nowMs()) return;
  const ended = { ...claim, endsAtMs: nowMs() };
  const place = startOf(location.href);
  const key = keyOf(place, claim);
  // A page beside this one may have dropped it meanwhile.
  if (!readClaims().some((kept) => keyOf(place, kept) === key)) return;
  if (unstored.has(key)) unstored.set(key, ended);
  else store(key, ended);
}

/** Forgets a claim that has bought the content, or can buy nothing any more. */
export function dropClaim(claim: KeptClaim): void {
  const place = startOf(location.href);
  const key = keyOf(place, claim);
  const unmoved = moveFormer(place).filter((kept) => keyOf(place, kept) !== key);
  storeFormer(place, unmoved);
  unstored.delete(key);
  store(key, null);
}
