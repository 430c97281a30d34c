import { KEPT_LOOK, type KeptLook } from "../_ui/kept-look.ts";
import { eraseKeptChat, markKept, openKeptChat } from "./erase-kept-chat.ts";
import { personHere } from "./person.ts";

const AT = "/kept-chat";

type Kept = { person: string; value: unknown };

/** Returns this device's stored chat of the signed-in user; null if there is none. */
export async function readKeptChat(): Promise<unknown> {
  try {
    const response = await (await openKeptChat()).match(AT);
    const kept = (await response?.json()) as Kept | undefined;
    return kept?.person === personHere() ? (kept?.value ?? null) : null;
  } catch {
    // If storage is denied, or missing as without TLS, nothing is stored.
    return null;
  }
}

/** Stores a value as this person's chat in place of the former one; nothing for a person who is no longer signed in. */
export async function keepChat(person: string, value: unknown): Promise<void> {
  if (personHere() !== person) return;
  try {
    const cache = await openKeptChat();
    await cache.put(AT, new Response(JSON.stringify({ person, value } satisfies Kept)));
    markKept(true);
    // The person may have left meanwhile.
    if (personHere() !== person) await eraseKeptChat();
  } catch {
    // A full disk keeps its former content.
  }
}

/** Returns the channel whose look this device stores; null for none. */
export function channelOfLook(): string | null {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_LOOK) ?? "null") as { value: KeptLook } | null;
    return kept?.value.channelId ?? null;
  } catch {
    return null;
  }
}

/** Stores the look of a channel in place of the former one, for a signed-in person; null removes it. */
export function keepLook(person: string, value: KeptLook | null): void {
  try {
    localStorage.removeItem(KEPT_LOOK);
    if (value && personHere() === person) localStorage.setItem(KEPT_LOOK, JSON.stringify({ person, value }));
  } catch {
    // If storage is denied or full, none is stored.
  }
}
