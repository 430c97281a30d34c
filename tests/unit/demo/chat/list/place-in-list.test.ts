import { describe, expect, it } from "vitest";
import { isPrepend, placeOfKey, stepOfKey } from "#app/(demo)/_chat/list/message-list.tsx";
import { offsetOf, placeAfterScroll, placeInView } from "#app/(demo)/_chat/list/use-place.ts";

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

describe("the offset of a place", () => {
  it("is the last one at the end", () => {
    expect(offsetOf("end", rows, at(0), offsets)).toBe(750);
  });

  it("puts a row at the upper edge, or in the middle, or as far below the edge as it stood", () => {
    expect(offsetOf({ key: "r2", align: "start" }, rows, at(0), offsets)).toBe(140);
    expect(offsetOf({ key: "r2", align: "center" }, rows, at(0), offsets)).toBe(140 - 170);
    expect(offsetOf({ key: "r2", inset: 30 }, rows, at(0), offsets)).toBe(110);
    expect(offsetOf({ key: "r2", inset: -30 }, rows, at(0), offsets)).toBe(170);
  });

  it("shows the beginning of a row that is taller than the view", () => {
    expect(offsetOf({ key: "r3", align: "center" }, rows, at(0), offsets)).toBe(200);
  });

  it("is none for a row that is not there", () => {
    expect(offsetOf({ key: "gone", align: "start" }, rows, at(0), offsets)).toBeNull();
  });
});

describe("the place in view", () => {
  it("is the first row of which something is seen, with what of it is not", () => {
    expect(placeInView(rows, at(70), offsets)).toEqual({ key: "r1", inset: -30 });
    expect(placeInView(rows, at(140), offsets)).toEqual({ key: "r2", inset: 0 });
  });

  it("leads back to where it was taken", () => {
    const place = placeInView(rows, at(333), offsets);
    expect(place && offsetOf(place, rows, at(0), offsets)).toBe(333);
  });

  it("is none in an empty list", () => {
    expect(placeInView([], at(0), offsets)).toBeNull();
  });
});

describe("a scroll that no event has told of", () => {
  const inView = { key: "r3", inset: -100 };
  const known = { ...at(300), inView };
  const end = { ...at(750), inView: { key: "r3", inset: -550 } };

  it("moves the place that is held by as much", () => {
    expect(placeAfterScroll(inView, known, at(240))).toEqual({ key: "r3", inset: -40 });
    expect(placeAfterScroll(inView, known, at(360))).toEqual({ key: "r3", inset: -160 });
  });

  it("is told from a list that stands still or was rounded", () => {
    expect(placeAfterScroll(inView, known, at(300))).toBe(inView);
    expect(placeAfterScroll(inView, known, at(300.6))).toBe(inView);
  });

  it("is counted also while rows come in", () => {
    expect(placeAfterScroll(inView, known, { ...at(240), scrollHeight: 3_000 })).toEqual({
      key: "r3",
      inset: -40,
    });
  });

  it("leaves the end when it goes further up than the edge is wide", () => {
    expect(placeAfterScroll("end", end, at(690))).toEqual({ key: "r3", inset: -490 });
    expect(placeAfterScroll("end", end, at(740))).toBe("end");
  });

  it("is not what the browser takes off when the list gets shorter", () => {
    expect(placeAfterScroll("end", end, { ...at(650), scrollHeight: 1_050 })).toBe("end");
    expect(placeAfterScroll(inView, known, { ...at(200), scrollHeight: 600 })).toBe(inView);
  });
});

describe("the keys of a list", () => {
  const press = (key: string, held = {}) => ({
    key,
    altKey: false,
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    ...held,
  });

  it("lead to the first row and to the end", () => {
    expect(placeOfKey(press("Home"), rows, true)).toEqual({ key: "r0", align: "start" });
    expect(placeOfKey(press("End"), rows, true)).toBe("end");
  });

  it("lead to the last row that is loaded while newer ones are not", () => {
    expect(placeOfKey(press("End"), rows, false)).toEqual({ key: "r4", align: "start" });
  });

  it("are none but Home and End, and none with another key held", () => {
    expect(placeOfKey(press("PageUp"), rows, true)).toBeNull();
    for (const held of ["altKey", "ctrlKey", "metaKey", "shiftKey"])
      expect(placeOfKey(press("Home", { [held]: true }), rows, true)).toBeNull();
  });

  it("lead a page on or back, of which an eighth stays in view", () => {
    expect(stepOfKey(press("PageUp"), 800)).toBe(-700);
    expect(stepOfKey(press("PageDown"), 800)).toBe(700);
    expect(stepOfKey(press("End"), 800)).toBe(0);
    expect(stepOfKey(press("PageDown", { shiftKey: true }), 800)).toBe(0);
  });

  it("lead nowhere in an empty list", () => {
    expect(placeOfKey(press("Home"), [], true)).toBeNull();
    expect(placeOfKey(press("End"), [], false)).toBeNull();
  });
});

describe("rows put before the first one", () => {
  it("are told from those put after the last one, and from another list", () => {
    const [, ...later] = rows;
    expect(isPrepend(later, rows)).toBe(true);
    expect(isPrepend(rows.slice(0, 3), rows)).toBe(false);
    expect(isPrepend(rows, rows)).toBe(false);
    expect(isPrepend([{ key: "x" }], rows)).toBe(false);
    expect(isPrepend([], rows)).toBe(false);
  });
});
