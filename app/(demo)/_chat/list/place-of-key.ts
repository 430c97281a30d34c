import type { KeyboardEvent } from "react";
import type { Place } from "./list-handle.ts";
import type { ListRow } from "./list-row.ts";

/**
 * Where Home and End lead in a list; null for every other key, and in a text field. The browser's own way there
 * would be cut short by the rows that come in on it.
 */
export function placeOfKey(
  { key, target, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent,
  rows: readonly ListRow[],
  isComplete: boolean,
): Place | null {
  if (altKey || ctrlKey || metaKey || shiftKey) return null;
  if (target instanceof Element && target.closest("input, textarea, [role=menu]")) return null;
  if (key === "End" && isComplete) return "end";
  const row = key === "Home" ? rows[0] : key === "End" ? rows.at(-1) : undefined;
  return row ? { key: row.key, align: "start" } : null;
}
