import type { CacheSnapshot } from "virtua";
import { forgetOldest } from "#lib/async/cache.ts";
import type { ListRow } from "./list-handle.ts";

const MOST_ROWS = 20_000;
/** The virtualizer's own sign for a row without a height. */
const UNMEASURED = -1;

const heights = new Map<string, number>();

/** Stores the measured heights (px) of a list's rows for its next opening. */
export function storeHeights(rows: readonly ListRow[], [sizes]: CacheSnapshot): void {
  for (const [index, { key }] of rows.entries()) {
    const height = sizes[index] ?? UNMEASURED;
    if (height === UNMEASURED) continue;
    heights.delete(key);
    heights.set(key, height);
  }
  forgetOldest(heights, MOST_ROWS);
}

/** Returns the height (px) that a row had when it was last shown, or undefined if it was not. */
export const storedHeight = (key: string): number | undefined => heights.get(key);

/**
 * Returns the heights that rows had when they were last shown, or undefined if none was shown. Rows that have
 * changed since are measured again before they are painted.
 */
export function storedHeights(rows: readonly ListRow[]): CacheSnapshot | undefined {
  if (!rows.some(({ key }) => heights.has(key))) return undefined;
  return [rows.map(({ key }) => heights.get(key) ?? UNMEASURED)];
}
