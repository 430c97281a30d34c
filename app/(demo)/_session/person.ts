import { createListeners } from "../_ui/external-store.ts";
import { PERSON } from "../_ui/kept-look.ts";
import { wireLog } from "../_wire/wire-log.ts";
import { dropEarlyAnswers } from "./early-answers.ts";
import { eraseKeptChat } from "./erase-kept-chat.ts";
import { onOtherTab } from "./other-tabs.ts";

/** Begins the name of whatever this browser keeps for the person in front of it, by no account. */
export const PERSONAL = "hivegate.bought.";
/** The plain payment page keeps what it sold under names of its own. */
const personal = [PERSONAL, "x402-receipt:", "x402-content:"];
/** Names what was bought here before anybody signed in: it stays, whoever comes and goes. */
const UNSIGNED = "hivegate.bought-by-nobody";
/** Names what this browser keeps of payments that were sent, as long as nobody knows what became of them. */
export const UNFINISHED = "hivegate.unfinished";
const BY_WALLET = "hivegate.by-wallet";
const persons = createListeners();

const leavers = createListeners();

/** Has `forget` called whenever somebody signs in or out, for what a page remembers of them. */
export const onPerson = persons.subscribe;

/** Has `forget` called whenever who was signed in is not any more, in whichever tab, for what nobody else may see. */
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
 * Tells who has signed in, and whether by a wallet; null for nobody any more: what was bought while somebody else was
 * signed in goes, what was bought while nobody was stays in this browser.
 */
export function changePerson(name: string | null, isByWallet = false): void {
  persons.tell();
  const former = personHere();
  if (name === null || (former !== null && former !== name)) leavers.tell();
  try {
    if (isByWallet) localStorage.setItem(BY_WALLET, "");
    else localStorage.removeItem(BY_WALLET);
    if (name === former) return;
    const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? "");
    const kept = keys.filter((key) => personal.some((prefix) => key.startsWith(prefix)));
    const unsigned = former === null ? kept : readUnsigned();
    for (const key of kept) if (!unsigned.includes(key)) localStorage.removeItem(key);
    if (name === null) {
      localStorage.removeItem(PERSON);
      localStorage.removeItem(UNSIGNED);
    } else {
      localStorage.setItem(PERSON, name);
      localStorage.setItem(UNSIGNED, JSON.stringify(unsigned));
    }
  } catch {
    // Private windows may refuse, and then keep nothing either.
  }
}

/** Whoever is signed in in this browser; null for nobody. */
export function personHere(): string | null {
  try {
    return localStorage.getItem(PERSON);
  } catch {
    return null;
  }
}

function readUnsigned(): readonly string[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(UNSIGNED) ?? "[]");
    return Array.isArray(names) ? names : [];
  } catch {
    return [];
  }
}

/** Whether whoever is signed in here signed in with a wallet. */
export function isSignedInByWallet(): boolean {
  try {
    return localStorage.getItem(BY_WALLET) !== null;
  } catch {
    return false;
  }
}
