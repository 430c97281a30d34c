import { createListeners } from "../_ui/external-store.ts";
import { PERSON } from "../_ui/kept-look.ts";
import { keepText, keptKeys, readKept, readText } from "../_ui/kept-text.ts";
import { wireLog } from "../_wire/wire-log.ts";
import { dropEarlyAnswers } from "./early-answers.ts";
import { eraseKeptChat } from "./erase-kept-chat.ts";
import { onOtherTab } from "./other-tabs.ts";

/**
 * Prefix of the keys under which the pages store the current user's purchases. The keys contain no account
 * name.
 */
export const PERSONAL = "hivegate.bought.";
/** Prefixes of all keys with a user's data, including the sales that the plain payment page stores. */
const personal = [PERSONAL, "x402-receipt:", "x402-content:"];
/** Key for purchases made before anyone signed in, which stay for all later users. */
const UNSIGNED = "hivegate.bought-by-nobody";
/** Start of the keys for sent payments whose outcome is unknown. Former versions stored a list of all under it. */
export const UNFINISHED = "hivegate.unfinished";
/** Start of the keys for claims that sent transfers may pay. Former versions stored a list of all under it. */
export const CLAIMS = "hivegate.claims";
const BY_WALLET = "hivegate.by-wallet";
const persons = createListeners();

const leavers = createListeners();

/** Calls `forget` when a user signs in or out, for values that belong to a user. */
export const onPerson = persons.subscribe;

/** Calls `forget` when the signed-in user leaves, in any tab, for values that other users must not see. */
export const onLeaving = leavers.subscribe;

/** Makes the page and this browser forget a user's data when they leave, here or in another tab. */
export function forgetOnLeaving(): void {
  onLeaving(wireLog.clear);
  onLeaving(() => void eraseKeptChat());
  onPerson(dropEarlyAnswers);
  if (typeof window === "undefined") return;
  onOtherTab((former) => {
    dropEarlyAnswers();
    if (former) leavers.tell();
  });
}

/**
 * Records who signed in, and whether by a wallet; null records a sign-out. A former user's purchases are
 * removed; those made without a user stay in this browser.
 */
export function changePerson(name: string | null, isByWallet = false): void {
  persons.tell();
  const former = personHere();
  if (name === null || (former !== null && former !== name)) leavers.tell();
  keepText(BY_WALLET, isByWallet ? "" : null);
  if (name === former) return;
  const kept = keptKeys().filter((key) => personal.some((prefix) => key.startsWith(prefix)));
  const unsigned = former === null ? kept : readUnsigned();
  for (const key of kept) if (!unsigned.includes(key)) keepText(key, null);
  // The former user's values are removed first, because a full storage would otherwise retain them.
  keepText(PERSON, null);
  keepText(UNSIGNED, null);
  if (name === null) return;
  keepText(PERSON, name);
  keepText(UNSIGNED, JSON.stringify(unsigned));
}

/** Returns the user who is signed in with this browser, or null. */
export function personHere(): string | null {
  return readText(PERSON);
}

function readUnsigned(): readonly string[] {
  const names = readKept(UNSIGNED);
  return Array.isArray(names) ? names : [];
}

/** Returns whether the signed-in user signed in with a wallet. */
export function isSignedInByWallet(): boolean {
  return readText(BY_WALLET) !== null;
}
