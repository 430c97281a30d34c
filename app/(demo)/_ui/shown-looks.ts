import { createExternalStore } from "./external-store.ts";
import { LOOK_ELEMENT } from "./kept-look.ts";

/** True while the look that the server sent with the page replaces the content that is loading. */
export const isSentLookShown = createExternalStore(true);

/**
 * Removes both looks, the stored one and the one sent with the page, because their channel has loaded or must
 * not be shown.
 */
export function dropLooks(): void {
  document.querySelector(LOOK_ELEMENT)?.remove();
  isSentLookShown.publish(false);
}
