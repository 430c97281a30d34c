import type { KeyboardEvent } from "react";
import type { Place } from "./list-handle.ts";
import type { ListRow } from "./list-row.ts";

type Press = Pick<KeyboardEvent, "key" | "altKey" | "ctrlKey" | "metaKey" | "shiftKey">;

/**
 * Where Home and End lead in a list; null for every other key. The browser's own way there would be cut short by
 * the rows that come in on it.
 */
export function placeOfKey(
  { key, altKey, ctrlKey, metaKey, shiftKey }: Press,
  rows: readonly ListRow[],
  isComplete: boolean,
): Place | null {
  if (altKey || ctrlKey || metaKey || shiftKey) return null;
  if (key === "End" && isComplete) return "end";
  const row = key === "Home" ? rows[0] : key === "End" ? rows.at(-1) : undefined;
  return row ? { key: row.key, align: "start" } : null;
}
