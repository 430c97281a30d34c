/**
 * The key under which this browser stores the look of the last shown channel. Unlike a cache, it is read
 * synchronously.
 */
export const KEPT_LOOK = "hivegate.look";
/** The key under which this browser stores who is signed in. */
export const PERSON = "hivegate.person";

/** The name of the element that shows the look. React never renders it, so hydration skips it. */
export const LOOK_ELEMENT = "kept-look";
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

/** A look as this browser stores it, with its reader. */
export type StoredLook = { person: string; value: KeptLook };
