import { KEPT_LOOK, type KeptLook } from "../_ui/kept-look.ts";
import { eraseKeptChat, markKept, openKeptChat } from "./erase-kept-chat.ts";
import { personHere } from "./person.ts";

const AT = "/kept-chat";

type Kept = { person: string; value: unknown };

/** Returns what this device keeps of the chat of the person who is signed in; null for nothing. */
export async function readKeptChat(): Promise<unknown> {
  try {
    const response = await (await openKeptChat()).match(AT);
    const kept = (await response?.json()) as Kept | undefined;
    return kept?.person === personHere() ? (kept?.value ?? null) : null;
  } catch {
    // Where storage is denied, or not there as without TLS, nothing is kept.
    return null;
  }
}

/** Keeps a value as this person's chat in place of the one before; nothing of somebody who is not signed in any more. */
export async function keepChat(person: string, value: unknown): Promise<void> {
  if (personHere() !== person) return;
  try {
    const cache = await openKeptChat();
    await cache.put(AT, new Response(JSON.stringify({ person, value } satisfies Kept)));
    markKept(true);
    // The person may have left meanwhile.
    if (personHere() !== person) await eraseKeptChat();
  } catch {
    // A full disk keeps what it has.
  }
}

/** The channel whose look this device keeps; null for none. */
export function channelOfLook(): string | null {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_LOOK) ?? "null") as { value: KeptLook } | null;
    return kept?.value.channelId ?? null;
  } catch {
    return null;
  }
}

/** Keeps the look of a channel in place of the one before, for a person who is signed in; null keeps none. */
export function keepLook(person: string, value: KeptLook | null): void {
  try {
    localStorage.removeItem(KEPT_LOOK);
    if (value && personHere() === person) localStorage.setItem(KEPT_LOOK, JSON.stringify({ person, value }));
  } catch {
    // Where storage is denied or full, none is kept.
  }
}
