import type { KeyboardEvent } from "react";
import type { ListRow, Place } from "./list-handle.ts";

type Press = Pick<KeyboardEvent, "key" | "altKey" | "ctrlKey" | "metaKey" | "shiftKey">;

const hasModifier = ({ altKey, ctrlKey, metaKey, shiftKey }: Press) =>
  altKey || ctrlKey || metaKey || shiftKey;

/**
 * Where Home and End lead in a list; null for every other key. The browser's own way there would be cut short by
 * the rows that come in on it.
 */
export function placeOfKey(press: Press, rows: readonly ListRow[], isComplete: boolean): Place | null {
  const { key } = press;
  if (hasModifier(press)) return null;
  if (key === "End" && isComplete) return "end";
  const row = key === "Home" ? rows[0] : key === "End" ? rows.at(-1) : undefined;
  return row ? { key: row.key, align: "start" } : null;
}

/** What stays in view of the page before. */
const PAGE_SHARE = 0.875;

/** How far PageUp and PageDown lead in a view of `room` pixels, all at once for the same reason; 0 for every other key. */
export function stepOfKey(press: Press, room: number): number {
  if (hasModifier(press)) return 0;
  const page = Math.round(room * PAGE_SHARE);
  return press.key === "PageUp" ? -page : press.key === "PageDown" ? page : 0;
}

const ITEM = "[data-post]";

function isInView(item: HTMLElement, list: HTMLElement): boolean {
  const { top, bottom } = item.getBoundingClientRect();
  const view = list.getBoundingClientRect();
  return bottom > view.top && top < view.bottom;
}

/**
 * Takes the focus from one message of a list to the next with the arrow keys; from the list itself to the last or first in
 * view. False where the key is for something else, or there is no message on that side.
 */
export function moveFocus(press: Press & { target: EventTarget }, list: HTMLElement): boolean {
  const { key, target } = press;
  if (hasModifier(press) || (key !== "ArrowUp" && key !== "ArrowDown") || !(target instanceof Element))
    return false;
  const items = [...list.querySelectorAll<HTMLElement>(ITEM)];
  const present = items.findIndex((item) => item.contains(target));
  const next =
    present !== -1
      ? items[present + (key === "ArrowUp" ? -1 : 1)]
      : items.filter((item) => isInView(item, list)).at(key === "ArrowUp" ? -1 : 0);
  if (!next) return false;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
}
