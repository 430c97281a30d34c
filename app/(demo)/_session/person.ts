import { createListeners } from "../_ui/external-store.ts";
import { PERSON } from "../_ui/kept-look.ts";
import { keepText, keptKeys, readKept, readText } from "../_ui/kept-text.ts";
import { wireLog } from "../_wire/wire-log.ts";
import { dropEarlyAnswers } from "./early-answers.ts";
import { eraseKeptChat } from "./erase-kept-chat.ts";
import { onOtherTab } from "./other-tabs.ts";

/** Prefix of everything that this browser stores for the current user, without an account name. */
export const PERSONAL = "hivegate.bought.";
/** The plain payment page stores its sales under its own names. */
const personal = [PERSONAL, "x402-receipt:", "x402-content:"];
/** Name of purchases made before anyone signed in, which stay for all later users. */
const UNSIGNED = "hivegate.bought-by-nobody";
/** Name of the stored payments that were sent and whose outcome is unknown. */
export const UNFINISHED = "hivegate.unfinished";
const BY_WALLET = "hivegate.by-wallet";
const persons = createListeners();

const leavers = createListeners();

/** Calls `forget` when somebody signs in or out, for values that belong to a user. */
export const onPerson = persons.subscribe;

/** Calls `forget` when the signed-in user leaves, in any tab, for values that nobody else may see. */
export const onLeaving = leavers.subscribe;

/** Has what a page and this browser hold of a person forgotten when they leave, here or in another tab. */
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
 * Records who signed in, and whether by a wallet; null for a sign-out. Purchases of a former user are removed; those
 * made without a user stay in this browser.
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
  // First without them: a full storage would leave the former user's.
  keepText(PERSON, null);
  keepText(UNSIGNED, null);
  if (name === null) return;
  keepText(PERSON, name);
  keepText(UNSIGNED, JSON.stringify(unsigned));
}

/** Returns the user who is signed in in this browser; null for none. */
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
