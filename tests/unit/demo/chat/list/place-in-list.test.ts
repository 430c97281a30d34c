import { describe, expect, it } from "vitest";
import { isPrepend, placeOfKey, stepOfKey } from "#app/(demo)/_chat/list/message-list.tsx";
import { placeAfterScroll } from "#app/(demo)/_chat/list/place-after-scroll.ts";
import { offsetOf, placeInView } from "#app/(demo)/_chat/list/place-in-view.ts";
import { rowsAtStart } from "#app/(demo)/_chat/list/rows-at-start.ts";

const heights = [40, 100, 60, 900, 50];
const rows = heights.map((_, index) => ({ key: `r${index}` }));
const getItemOffset = (index: number) => heights.slice(0, index).reduce((sum, height) => sum + height, 0);
const offsets = {
  getItemOffset,
  getItemSize: (index: number) => heights[index] ?? 0,
  findItemIndex: (offset: number) =>
    Math.max(
      0,
      heights.findLastIndex((_, at) => getItemOffset(at) <= offset),
    ),
};
const at = (scrollTop: number) => ({ scrollTop, scrollHeight: 1_150, clientHeight: 400 });

describe("offset of a place", () => {
  it("returns the last offset at the end", () => {
    expect(offsetOf("end", rows, at(0), offsets)).toBe(750);
  });

  it("returns the offset that puts a row at the upper edge, in the middle, or at its former distance from the edge", () => {
    expect(offsetOf({ key: "r2", align: "start" }, rows, at(0), offsets)).toBe(140);
    expect(offsetOf({ key: "r2", align: "center" }, rows, at(0), offsets)).toBe(140 - 170);
    expect(offsetOf({ key: "r2", inset: 30 }, rows, at(0), offsets)).toBe(110);
    expect(offsetOf({ key: "r2", inset: -30 }, rows, at(0), offsets)).toBe(170);
  });

  it("returns the offset of the beginning of a row that is taller than the view", () => {
    expect(offsetOf({ key: "r3", align: "center" }, rows, at(0), offsets)).toBe(200);
  });

  it("returns null for a missing row", () => {
    expect(offsetOf({ key: "gone", align: "start" }, rows, at(0), offsets)).toBeNull();
  });
});

describe("place in view", () => {
  it("finds the first partly visible row, and how much of it is hidden", () => {
    expect(placeInView(rows, at(70), offsets)).toEqual({ key: "r1", inset: -30 });
    expect(placeInView(rows, at(140), offsets)).toEqual({ key: "r2", inset: 0 });
  });

  it("leads from a place back to the same offset", () => {
    const place = placeInView(rows, at(333), offsets);
    expect(place && offsetOf(place, rows, at(0), offsets)).toBe(333);
  });

  it("returns null in an empty list", () => {
    expect(placeInView([], at(0), offsets)).toBeNull();
  });
});

describe("scrolls without an event", () => {
  const inView = { key: "r3", inset: -100 };
  const known = { ...at(300), inView };
  const end = { ...at(750), inView: { key: "r3", inset: -550 } };

  it("moves the held place by the same distance", () => {
    expect(placeAfterScroll(inView, known, at(240))).toEqual({ key: "r3", inset: -40 });
    expect(placeAfterScroll(inView, known, at(360))).toEqual({ key: "r3", inset: -160 });
  });

  it("ignores rounding and a list that did not move", () => {
    expect(placeAfterScroll(inView, known, at(300))).toBe(inView);
    expect(placeAfterScroll(inView, known, at(300.6))).toBe(inView);
  });

  it("detects scrolls while rows are added", () => {
    expect(placeAfterScroll(inView, known, { ...at(240), scrollHeight: 3_000 })).toEqual({
      key: "r3",
      inset: -40,
    });
  });

  it("leaves the end after a long scroll, but not after a short one", () => {
    expect(placeAfterScroll("end", end, at(690))).toEqual({ key: "r3", inset: -490 });
    expect(placeAfterScroll("end", end, at(740))).toBe("end");
  });

  it("ignores the browser's correction when the list shrinks", () => {
    expect(placeAfterScroll("end", end, { ...at(650), scrollHeight: 1_050 })).toBe("end");
    expect(placeAfterScroll(inView, known, { ...at(200), scrollHeight: 600 })).toBe(inView);
  });
});

describe("list keys", () => {
  const press = (key: string, held = {}) => ({
    key,
    altKey: false,
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    ...held,
  });

  it("moves to the first row and to the end", () => {
    expect(placeOfKey(press("Home"), rows, true)).toEqual({ key: "r0", align: "start" });
    expect(placeOfKey(press("End"), rows, true)).toBe("end");
  });

  it("moves to the last loaded row while newer ones are not loaded", () => {
    expect(placeOfKey(press("End"), rows, false)).toEqual({ key: "r4", align: "start" });
  });

  it("handles only Home and End, without modifiers", () => {
    expect(placeOfKey(press("PageUp"), rows, true)).toBeNull();
    for (const held of ["altKey", "ctrlKey", "metaKey", "shiftKey"])
      expect(placeOfKey(press("Home", { [held]: true }), rows, true)).toBeNull();
  });

  it("moves one page, of which an eighth stays in view", () => {
    expect(stepOfKey(press("PageUp"), 800)).toBe(-700);
    expect(stepOfKey(press("PageDown"), 800)).toBe(700);
    expect(stepOfKey(press("End"), 800)).toBe(0);
    expect(stepOfKey(press("PageDown", { shiftKey: true }), 800)).toBe(0);
  });

  it("does nothing in an empty list", () => {
    expect(placeOfKey(press("Home"), [], true)).toBeNull();
    expect(placeOfKey(press("End"), [], false)).toBeNull();
  });
});

describe("prepended rows", () => {
  it("distinguishes prepended rows from appended ones and from another list", () => {
    const [, ...later] = rows;
    expect(isPrepend(later, rows)).toBe(true);
    expect(isPrepend(rows.slice(0, 3), rows)).toBe(false);
    expect(isPrepend(rows, rows)).toBe(false);
    expect(isPrepend([{ key: "x" }], rows)).toBe(false);
    expect(isPrepend([], rows)).toBe(false);
  });
});

describe("rows at the start of a list", () => {
  const heightOf = ({ key }: { key: string }) => heights[Number(key.slice(1))] ?? 0;
  const opened = (place: Parameters<typeof rowsAtStart>[1], room: number) =>
    rowsAtStart(rows, place, room, heightOf);

  it("returns the last rows that fill the view for the end", () => {
    expect(opened("end", 50)).toEqual({ first: "r4", last: "r4" });
    expect(opened("end", 400)).toEqual({ first: "r3", last: "r4" });
    expect(opened("end", 1_000)).toEqual({ first: "r2", last: "r4" });
  });

  it("returns a row at the upper edge and those below it, or above it where too few are below", () => {
    expect(opened({ key: "r1", align: "start" }, 150)).toEqual({ first: "r1", last: "r2" });
    expect(opened({ key: "r4", align: "start" }, 400)).toEqual({ first: "r3", last: "r4" });
  });

  it("returns the rows on both sides of a row in the middle", () => {
    expect(opened({ key: "r2", align: "center" }, 300)).toEqual({ first: "r0", last: "r3" });
    expect(opened({ key: "r3", align: "center" }, 1_100)).toEqual({ first: "r1", last: "r4" });
  });

  it("returns all rows of a list that does not fill the view", () => {
    expect(opened("end", 5_000)).toEqual({ first: "r0", last: "r4" });
  });

  it("returns no rows for a missing row or an empty list", () => {
    expect(opened({ key: "gone", align: "start" }, 400)).toEqual({ first: "", last: "" });
    expect(rowsAtStart([], "end", 400, heightOf)).toEqual({ first: "", last: "" });
  });
});
