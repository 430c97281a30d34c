import { createExternalStore } from "./external-store.ts";

/** The key under which this browser keeps the look of the channel that was shown last: read at once, unlike a cache. */
export const KEPT_LOOK = "hivegate.look";
/** The key under which this browser knows who is signed in. */
export const PERSON = "hivegate.person";

/** A name that React expects nowhere, so that it passes over the element. */
const ELEMENT = "kept-look";
/** Maximum time in ms that a look is shown if its channel never loads. */
export const LONGEST_LOOK_MS = 30_000;

/** The end of a channel as it stood on the screen, and where; it only fits a screen of the same width. */
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
 * Runs in the page while its scripts are still loading, and shows what stood there last, if the same person is here. It
 * lies outside the page that React takes over, takes no focus and no clicks, and is nothing to screen readers.
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

/** True while the look that the server sent with the page still replaces what is being loaded. */
export const isSentLookShown = createExternalStore(true);

/** Takes both looks away, the kept one and the one that came with the page: what they stood for is there, or is not to be shown. */
export function dropLooks(): void {
  document.querySelector(ELEMENT)?.remove();
  isSentLookShown.publish(false);
}
