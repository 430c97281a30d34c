import { KEPT_LOOK } from "../_ui/kept-look.ts";
import { KEPT_COOKIE } from "../_ui/kept-marks.ts";
import { keepText } from "../_ui/kept-text.ts";

const KEPT_CHAT = "hivegate-chat";

/** Opens this browser's stored chat of the signed-in user. @throws if nothing can be stored */
export const openKeptChat = (): Promise<Cache> => caches.open(KEPT_CHAT);

const YEAR_S = 31_536_000;

/** Tells the server, by a cookie, whether this browser stores the chat. */
export function markKept(isKept: boolean): void {
  try {
    // biome-ignore lint/suspicious/noDocumentCookie: the other interface is missing without TLS
    document.cookie = `${KEPT_COOKIE}=1; path=/chat; max-age=${isKept ? YEAR_S : 0}; samesite=lax`;
  } catch {
    // If cookies are denied, no one is signed in.
  }
}

/** Returns whether the server takes this browser for one that stores the chat, and sends it no messages. */
export function isMarkedKept(): boolean {
  try {
    return document.cookie.split("; ").includes(`${KEPT_COOKIE}=1`);
  } catch {
    return false;
  }
}

/** Erases this browser's stored chat. */
export async function eraseKeptChat(): Promise<void> {
  markKept(false);
  keepText(KEPT_LOOK, null);
  try {
    await caches.delete(KEPT_CHAT);
  } catch {
    // If storage is denied, or missing because there is no TLS, nothing was stored.
  }
}
