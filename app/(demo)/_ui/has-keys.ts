"use client";

/** With a mouse, or with nothing to point with. On a touch screen a field with the focus opens the keyboard over what is read. */
const KEYS = "(hover: hover) and (pointer: fine), (pointer: none)";

/** Whether a field may take the focus unasked: whoever writes has keys of their own. */
export const hasKeys = () => window.matchMedia(KEYS).matches;
