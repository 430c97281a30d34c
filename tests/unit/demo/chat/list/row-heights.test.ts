import { expect, it } from "vitest";
import { storedHeights, storeHeights } from "#app/(demo)/_chat/list/row-heights.ts";

const rowsOf = (...keys: string[]) => keys.map((key) => ({ key }));

it("returns the heights of rows by their keys, wherever they are now", () => {
  storeHeights(rowsOf("moved-1", "moved-2", "moved-3"), [[40, 100, 60]]);
  expect(storedHeights(rowsOf("moved-new", "moved-3", "moved-1"))).toEqual([[-1, 60, 40]]);
});

it("leaves out rows that were not measured, but not their earlier heights", () => {
  storeHeights(rowsOf("seen-1", "seen-2"), [[40, -1]]);
  expect(storedHeights(rowsOf("seen-1", "seen-2"))).toEqual([[40, -1]]);
  storeHeights(rowsOf("seen-1", "seen-2"), [[-1, 70]]);
  expect(storedHeights(rowsOf("seen-1", "seen-2"))).toEqual([[40, 70]]);
});

it("returns nothing for a list of which no row was shown", () => {
  storeHeights(rowsOf("other-1"), [[-1]]);
  expect(storedHeights(rowsOf("other-1", "other-2"))).toBeUndefined();
});

it("forgets the rows that were not shown for the longest time", () => {
  storeHeights(rowsOf("old-1", "old-2"), [[40, 50]]);
  const many = Array.from({ length: 19_999 }, (_, index) => ({ key: `many-${index}` }));
  storeHeights(many, [many.map(() => 30)]);
  expect(storedHeights(rowsOf("old-1"))).toBeUndefined();
  expect(storedHeights(rowsOf("old-2"))).toEqual([[50]]);
});
