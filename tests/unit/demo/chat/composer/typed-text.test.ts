import { describe, expect, it } from "vitest";
import { toggleMark } from "#app/(demo)/_chat/composer/typed-text.ts";

const apply = (text: string, start: number, end: number, mark: string) => {
  const { from, to, insert, selectFrom } = toggleMark(text, start, end, mark);
  const next = text.slice(0, from) + insert + text.slice(to);
  return [next, next.slice(selectFrom, selectFrom + end - start)];
};

describe("toggling marks on a selection", () => {
  it("adds the mark on both sides, and keeps the words selected", () => {
    expect(apply("so very well", 3, 7, "**")).toEqual(["so **very** well", "very"]);
  });

  it("removes an existing mark", () => {
    expect(apply("so **very** well", 5, 9, "**")).toEqual(["so very well", "very"]);
  });

  it("adds the mark around the cursor if nothing is selected", () => {
    expect(apply("", 0, 0, "_")).toEqual(["__", ""]);
  });
});
