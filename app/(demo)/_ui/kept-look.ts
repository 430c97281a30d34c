import { createExternalStore } from "./external-store.ts";

/**
 * The key under which this browser stores the look of the last shown channel. Unlike a cache, it is read
 * synchronously.
 */
export const KEPT_LOOK = "hivegate.look";
/** The key under which this browser stores who is signed in. */
export const PERSON = "hivegate.person";

/** An element name that React never renders, so that hydration skips the element. */
const ELEMENT = "kept-look";
/** Maximum time (ms) for which a look is shown if its channel never loads. */
export const LONGEST_LOOK_MS = 30_000;

/**
 * The end of a channel as it was on the screen, and its position. It only fits a screen of the same width.
 */
export type KeptLook = {
  channelId: string;
  html: string;
  width: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
};

/**
 * Runs in the page while its scripts are still loading, and shows the last look if the same person is signed
 * in. The look is outside the page that React hydrates, takes no focus or clicks, and is ignored by screen
 * readers.
 */
export const keptLookScript = `try {
  const { person, value } = JSON.parse(localStorage.getItem(${JSON.stringify(KEPT_LOOK)})) ?? {};
  const isHere =
    value &&
    person === localStorage.getItem(${JSON.stringify(PERSON)}) &&
    location.pathname === "/chat/" + value.channelId &&
    location.search === "" &&
    innerWidth === value.width;
  if (isHere && !document.querySelector("[role=log]")) {
    const look = document.createElement(${JSON.stringify(ELEMENT)});
    look.inert = true;
    look.ariaHidden = "true";
    look.className = "fixed z-10 flex flex-col justify-end overflow-hidden bg-canvas";
    for (const side of ["left", "right", "top", "bottom"]) look.style[side] = value[side] + "px";
    look.innerHTML = value.html;
    document.body.append(look);
    setTimeout(() => look.remove(), ${LONGEST_LOOK_MS});
  }
} catch {}`;

/** True while the look that the server sent with the page replaces the content that is loading. */
export const isSentLookShown = createExternalStore(true);

/**
 * Removes both looks, the stored one and the one sent with the page, because their channel has loaded or must
 * not be shown.
 */
export function dropLooks(): void {
  document.querySelector(ELEMENT)?.remove();
  isSentLookShown.publish(false);
}
