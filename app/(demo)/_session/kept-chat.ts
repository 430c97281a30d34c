import { KEPT_LOOK, type KeptLook, type StoredLook } from "../_ui/kept-look.ts";
import { keepText, readKept } from "../_ui/kept-text.ts";
import { eraseKeptChat, markKept, openKeptChat } from "./erase-kept-chat.ts";
import { personHere } from "./person.ts";

const AT = "/kept-chat";
/** Version of the stored fields. Data that a release with another version stored is erased. */
const VERSION = 2;

type Kept = { version: number; person: string; value: unknown };

/** Returns this device's stored chat of the signed-in user, or null if there is none. */
export async function readKeptChat(): Promise<unknown> {
  try {
    const response = await (await openKeptChat()).match(AT);
    const kept = (await response?.json()) as Kept | undefined;
    if (kept && kept.version !== VERSION) {
      await eraseKeptChat();
      return null;
    }
    return kept?.person === personHere() ? (kept?.value ?? null) : null;
  } catch {
    // If storage is denied, or missing because there is no TLS, nothing is stored.
    return null;
  }
}

/**
 * Stores a value as this person's chat in place of the former one. Does nothing if the person is no longer
 * signed in.
 */
export async function keepChat(person: string, value: unknown): Promise<void> {
  if (personHere() !== person) return;
  try {
    const cache = await openKeptChat();
    await cache.put(AT, new Response(JSON.stringify({ version: VERSION, person, value } satisfies Kept)));
    markKept(true);
    // The person may have signed out meanwhile.
    if (personHere() !== person) await eraseKeptChat();
  } catch {
    // If the disk is full, its former content stays.
  }
}

/** Returns the channel whose look this device stores, or null. */
export function channelOfLook(): string | null {
  const kept = readKept(KEPT_LOOK) as Partial<StoredLook> | null;
  return kept?.value?.channelId ?? null;
}

/** Stores the look of a channel for a signed-in person in place of the former one; null removes it. */
export function keepLook(person: string, value: KeptLook | null): void {
  keepText(KEPT_LOOK, null);
  if (!value || personHere() !== person) return;
  // A look that would only last as long as this page is dropped.
  if (!keepText(KEPT_LOOK, JSON.stringify({ person, value } satisfies StoredLook))) keepText(KEPT_LOOK, null);
}
